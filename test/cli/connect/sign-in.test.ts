import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dailyExamples } from '../../../src/cli/help/help.ts';
import type { TextRules } from '../../../src/process/prompts.ts';
import { findRefusingUrl, sendJson, startTestService } from '../../client/loopback.ts';
import { startRecordService } from '../../search/index/record-service.ts';
import {
  createMachine,
  createTemporaryFolder,
  type MachineOptions,
  writeStoredSettings,
} from '../../support/kith.ts';

const key = 'right-key-1234';
const otherKey = 'other-key-1234';

/** Starts a service with one key. Below /other, everything is not found. Lists and contacts are empty or not. */
async function startService(records: { readonly lists?: object[]; readonly contacts?: object[] } = {}) {
  const { url, requests } = await startTestService((request, response) => {
    if (!request.url.startsWith('/v1/')) return sendJson(response, 404, { title: 'Not found.' });
    const { authorization } = request.headers;
    if (authorization !== `Bearer ${key}`)
      return sendJson(response, authorization?.includes('reader') ? 403 : 401, { title: 'Invalid API key.' });
    const noun = request.url.startsWith('/v1/lists') ? 'lists' : 'contacts';
    sendJson(response, 200, { data: records[noun] ?? [] });
  });
  return { url, requests };
}

/** Signs in on a new machine with answers. */
async function signIn(line: string, answers: Required<MachineOptions>['answers'], env = {}) {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  return { ...(await kith(line, { terminal: 200, answers, env })), kith };
}

test('auth login asks for the workspace, the URL and the key, and names the next commands', async () => {
  const { url, requests } = await startService();
  const { code, out, kith } = await signIn('auth login --profile 개인', ['hosted', ` ${url} `, ` ${key} `]);
  expect({ code, out }).toEqual({
    code: 0,
    out: `Signed in to ${url}: profile 개인\nNext: kith contacts create\n      kith contacts import FILE\n`,
  });
  expect(requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    `Bearer ${key}`,
    `Bearer ${key}`,
  ]);
  expect((await kith('auth status --jq .works')).out).toBe('true\n');
});

test.each([
  ['the sample', 'sample', 'sample workspace'],
  ['a local workspace', 'local', 'workspace on this machine'],
])('auth login signs in to %s', async (_, answer, text) => {
  const { code, out, err } = await signIn('auth login', [answer]);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`Signed in to `) });
  expect(out).toContain(text);
  expect(out).toContain(
    answer === 'local'
      ? 'Next: kith contacts create\n'
      : `Next: ${dailyExamples
          .slice(0, 3)
          .map(([line]) => `kith ${line}`)
          .join('\n      ')}\n`,
  );
  expect(err).toContain('Which workspace do you want to use?');
});

test('explains each wrong base URL in one line and asks again', async () => {
  const { url, requests } = await startService();
  const refusing = await findRefusingUrl();
  const html = await startTestService((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
  });
  const failing = await startTestService((_, response) => sendJson(response, 503));
  const answers = [
    'crm',
    `${url}/kith_0123456789abcdefghijklmn`,
    'kith_0123456789abcdefghijklmn',
    `${url}/${otherKey}`,
    refusing,
    `${url}/other`,
    html.url,
    failing.url,
    url,
    key,
  ];
  const { code, err } = await signIn('auth login', ['hosted', ...answers], {
    PGPASSWORD: otherKey,
  });
  expect({
    code,
    err: err.split('\n').filter((line) => !/^Base URL|^Hosted|^Sample|^Workspace/.test(line)),
  }).toEqual({
    code: 0,
    err: [
      'kith manages contacts, organizations, notes, lists and recorded meetings.',
      'You are not signed in to a workspace.',
      'Which workspace do you want to use?',
      'The base URL: not a valid URL. Example: https://crm.example.com.',
      'The base URL contains an API key. Press Ctrl-U to clear it.',
      'The base URL contains an API key. Press Ctrl-U to clear it.',
      'kith: The base URL contains an API key.',
      `kith: Cannot reach ${refusing}: connection refused.`,
      `kith: ${url}/other is not a kith service: Not found.`,
      `kith: ${html.url} is not a kith service: The response is an HTML page, not a list of records.`,
      'kith: The service responded with 503.',
      `API key for ${url}`,
      '',
    ],
  });
  // One attempt each, and the key goes only to a URL that was checked.
  expect([html.requests, failing.requests].map(({ length }) => length)).toEqual([1, 1]);
  const keyed = [...requests, ...html.requests, ...failing.requests].filter(
    ({ headers }) => headers.authorization !== undefined,
  );
  expect(keyed.map(({ url }) => url)).toEqual([
    expect.stringMatching(/^\/v1\/lists/),
    expect.stringMatching(/^\/v1\/contacts/),
  ]);
});

test('offers a wrong base URL again, except one with a key', async () => {
  const { url } = await startService();
  const shown: (string | undefined)[] = [];
  const type =
    (text: string) =>
    ({ initialValue }: TextRules) => {
      shown.push(initialValue);
      return text;
    };
  const urls = [`${url}/other`, `${url}/${otherKey}`, url].map(type);
  expect(await signIn('auth login', ['hosted', ...urls, key], { PGPASSWORD: otherKey })).toMatchObject({
    code: 0,
  });
  expect(shown).toEqual([undefined, `${url}/other`, undefined]);
});

test('explains each wrong key and asks again, also with the URL in a flag', async () => {
  const { url } = await startService();
  const answers = ['  ', 'a b', 'wrong-key-1234', 'reader-key-1234', key];
  const { code, err } = await signIn(`auth login --base-url ${url}`, answers);
  const question = `API key for ${url}`;
  expect({ code, err: err.split('\n') }).toEqual({
    code: 0,
    err: [
      question,
      'The API key is empty.',
      'The API key contains invalid characters.',
      'kith: Invalid API key.',
      question,
      'kith: Invalid API key.',
      question,
      '',
    ],
  });
});

test('an error that another answer cannot solve ends with its exit code', async () => {
  const refusing = await findRefusingUrl();
  expect(await signIn(`auth login --base-url ${refusing} --retries 0`, [key])).toMatchObject({
    code: 75,
    err: expect.stringContaining('connection refused'),
  });
  expect(await signIn('auth login --base-url http://crm.example.com', [key])).toMatchObject({ code: 2 });
  const env = { HTTPS_PROXY: 'http://[' };
  expect(await signIn('auth login', ['hosted', 'https://crm.example.com'], env)).toMatchObject({
    code: 2,
    err: expect.stringContaining('HTTPS_PROXY'),
  });
});

test.each([
  ['contacts', { contacts: [{ id: 'c1' }], lists: [{ id: 'l1', name: 'Deals' }] }, 'kith contacts list'],
  ['lists only', { lists: [{ id: 'l1', name: 'Deals' }] }, 'kith lists list'],
])('the next command shows something in a workspace with %s', async (_, records, next) => {
  const { url } = await startService(records);
  const { out } = await signIn(`auth login --base-url ${url}`, [key]);
  expect(out.split('\n').slice(1)).toEqual([`Next: ${next}`, '']);
});

test('without a terminal, the output and the requests are those of a script', async () => {
  const { url, requests } = await startService();
  const { code, out } = await createMachine()(`auth login --base-url ${url} --key-stdin`, { stdin: key });
  expect({ code, out }).toEqual({
    code: 0,
    out: `Signed in to ${url}: profile ${new URL(url).host}\nNext: kith contacts list\n`,
  });
  expect(requests).toHaveLength(1);
  expect((await createMachine()('auth login --local')).out).toMatch(/\nNext: kith contacts list\n$/);
});

test('a sign-in to another workspace removes the search index of the profile, and a sign-out too', async () => {
  const { url } = await startRecordService();
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const hasIndex = () => readdirSync(folder).some((name) => /^search-.*\.sqlite$/.test(name));
  const signInWith = async (typedKey: string) => {
    const line = `auth login --base-url ${url} --key-stdin`;
    expect((await kith(line, { stdin: typedKey })).code).toBe(0);
  };
  await signInWith(key);
  await kith('index update');
  expect(hasIndex()).toBe(true);
  await signInWith(otherKey);
  expect(hasIndex()).toBe(false);
  await kith('index update');
  await kith('auth logout');
  expect(hasIndex()).toBe(false);
});

test('does not ask for the kind of workspace of an existing profile', async () => {
  const { url } = await startService();
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const database = `${folder}/개인.sqlite`;
  writeStoredSettings(folder, {
    profiles: { work: { base_url: url, api_key: 'old-key-1234' }, 개인: { database } },
  });
  const hosted = await kith('auth login --profile work', { terminal: 80, answers: [url, key] });
  expect({ code: hosted.code, err: hosted.err }).toEqual({
    code: 0,
    err: `Base URL of the service\nAPI key for ${url}\n`,
  });
  const local = await kith('auth login --profile 개인', { terminal: 80 });
  expect({ code: local.code, out: local.out }).toEqual({ code: 0, out: expect.stringContaining(database) });
});
