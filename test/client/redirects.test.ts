import { expect, test } from 'vitest';
import { sendJson, startTestService } from './loopback.ts';
import { sendRequest } from './outcome.ts';

test('does not follow a redirect to another origin with the key', async () => {
  const other = await startTestService((_, response) => sendJson(response, 200, {}));
  const { url } = await startTestService((_, response) => {
    response.writeHead(302, { location: `${other.url}/v1/contacts` }).end();
  });
  await expect(sendRequest(url)).rejects.toMatchObject({
    code: 'failed',
    message: `${url} redirects to ${other.url}; kith does not send the key there.`,
  });
  expect(other.requests).toEqual([]);
});

test.each([
  ['/elsewhere?first=5', '/elsewhere?first=5'],
  ['../v2/contacts', '/v2/contacts'],
  ['?page=2', '/v1/contacts?page=2'],
])('follows a redirect of a GET within the origin: %s', async (location, followedPath) => {
  const { url, requests } = await startTestService((_, response, count) => {
    if (count > 0) sendJson(response, 200, { moved: true });
    else response.writeHead(301, { location }).end();
  });
  expect(await sendRequest(url)).toEqual({ status: 200, body: { moved: true } });
  expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/v1/contacts', 'Bearer key-for-tests'],
    [followedPath, 'Bearer key-for-tests'],
  ]);
});

test('returns a redirect without a Location', async () => {
  const { url } = await startTestService((_, response) => response.writeHead(304).end());
  expect(await sendRequest(url)).toEqual({ status: 304, body: undefined });
});
