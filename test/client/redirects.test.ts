import { expect, test } from 'vitest';
import { answer, loopback } from './loopback.ts';
import { get, outcome, post } from './outcome.ts';

test('does not follow a redirect to another origin with the key', async () => {
  const other = await loopback((_, response) => answer(response, 200, {}));
  const { url } = await loopback((_, response) => {
    response.writeHead(302, { location: `${other.url}/v1/contacts` }).end();
  });
  await expect(outcome(url)).rejects.toMatchObject({
    code: 'failed',
    message: `${url} redirects to ${other.url}; kith does not send the key there.`,
  });
  expect(other.seen).toEqual([]);
});

test.each([
  ['/elsewhere?first=5', '/elsewhere?first=5'],
  ['../v2/contacts', '/v2/contacts'],
  ['?page=2', '/v1/contacts?page=2'],
])('follows a redirect of a GET within the origin: %s', async (location, asked) => {
  const { url, seen } = await loopback((_, response, count) => {
    if (count > 0) answer(response, 200, { moved: true });
    else response.writeHead(301, { location }).end();
  });
  expect(await outcome(url)).toEqual({ status: 200, body: { moved: true } });
  expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/v1/contacts', 'Bearer key-for-tests'],
    [asked, 'Bearer key-for-tests'],
  ]);
});

test.each([
  ['a write', post, '/elsewhere', 'redirects a POST (307); it was not repeated.', 1],
  ['to itself', get, '/v1/contacts', 'redirects too many times.', 6],
  [
    'to a place that is none',
    get,
    'http://[',
    'redirects to "http://["; kith does not send the key there.',
    1,
  ],
])('fails for a redirect of %s', async (_, request, location, message, requests) => {
  const { url, seen } = await loopback((_, response) => response.writeHead(307, { location }).end());
  await expect(outcome(url, request)).rejects.toMatchObject({ code: 'failed', message: `${url} ${message}` });
  expect(seen.length).toBe(requests);
});

test('returns a redirect without a Location', async () => {
  const { url } = await loopback((_, response) => response.writeHead(304).end());
  expect(await outcome(url)).toEqual({ status: 304, body: undefined });
});
