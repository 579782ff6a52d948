import { expect, test } from 'vitest';
import { createRedactor, redactResponses } from '../../src/settings/redaction.ts';

const oddSecret = `a+b/c="d\\e'f%g&h<i`;
const toJson = (text: string) => JSON.stringify(text).slice(1, -1);
const toLowerEscapes = (text: string) => text.replace(/%../g, (found) => found.toLowerCase());
const toFormValue = (text: string) => new URLSearchParams({ k: text }).toString().slice(2);

test.each<[string, string, string]>([
  ['in plain text', 'sk_live_12345678', 'sk_live_12345678'],
  ['in a longer word', 'sk_live_12345678', 'xxsk_live_12345678yy'],
  ['in upper case, or in lower case as in a host name', 'sk_LIVE_12345678', 'SK_live_12345678'],
  ['in a URL', oddSecret, encodeURIComponent(oddSecret)],
  ['in a URL, in small letters', oddSecret, toLowerEscapes(encodeURIComponent(oddSecret))],
  ['in a form', oddSecret, toFormValue(oddSecret)],
  ['in a form, in small letters', oddSecret, toLowerEscapes(toFormValue(oddSecret))],
  ['double-encoded in a form', oddSecret, encodeURIComponent(toFormValue(oddSecret))],
  ['in the path of a URL', `a+b="c'd<e>f g{h}`, new URL(`https://x/a+b="c'd<e>f g{h}`).pathname.slice(1)],
  ['in JSON', oddSecret, toJson(oddSecret)],
  ['in JSON within JSON', oddSecret, toJson(toJson(oddSecret))],
  ['in JSON with escapes for all', '"<>&\\+!~', '\\u0022\\u003C\\u003e\\u0026\\u005c\\u002B\\u0021~'],
  ['in JSON with escapes for letters too', 'sk-Live_9', '\\u0073k\\u002d\\u004C\\u0069ve_\\u0039'],
  ['in a URL with escapes for letters too', 'sk-Live_9', '%73k%2d%4Cive_%2539'],
  ['in CSV', oddSecret, oddSecret.replaceAll('"', '""')],
  ['in XML', oddSecret, oddSecret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
  ['in the quotes of a shell', oddSecret, oddSecret.replaceAll("'", "'\\''")],
  ['with letters that are not ASCII', 'clé-secrète', encodeURIComponent('clé-secrète')],
  ['that is a pattern', '.*.*.*.*', '.*.*.*.*'],
])('a secret %s', (_, secret, encoded) => {
  const { add, redact } = createRedactor(() => []);
  add(secret);
  expect(redact(encoded)).toMatch(/^(xx)?\[key\](yy)?$/);
  expect(redact(`before ${encoded} and ${encoded}, after`)).toMatch(
    /^before \S*\[key\]\S* and \S*\[key\]\S*, after$/,
  );
});

test.each([
  ['that is a short word', 'word'],
  ['that is empty', ''],
])('does not redact text for a secret %s', (_, secret) => {
  const { add, redact } = createRedactor(() => [secret]);
  add(secret);
  expect(redact('a word, and nothing')).toBe('a word, and nothing');
});

test('a secret of dots redacts no other text', () => {
  const { add, redact } = createRedactor(() => []);
  add('.*.*.*.*');
  expect(redact('anything')).toBe('anything');
});

test('redacts two secrets with the same beginning completely', () => {
  const { add, redact } = createRedactor(() => ['sk_live_1234', 'sk_live_12345678']);
  expect(redact('sk_live_12345678 sk_live_1234 ')).toBe('[key] [key] ');
  add('sk_live_123456789');
  expect(redact('sk_live_123456789')).toBe('[key]');
});

test('loads the known secrets once, when there is text to redact', () => {
  let requestCount = 0;
  const { redact } = createRedactor(() => {
    requestCount += 1;
    return [];
  });
  redact('');
  expect(requestCount).toBe(0);
  redact('one');
  redact('two');
  expect(requestCount).toBe(1);
});

test('redacts secrets in response headers', async () => {
  const secrets = createRedactor(() => ['sk_live_12345678']);
  const headers = { 'x-request-id': 'for sk_live_12345678' };
  const transport = { send: async () => ({ status: 429, headers, body: undefined }), close: async () => {} };
  const request = { method: 'GET', path: '/v1/contacts', query: [] };
  const response = await redactResponses(transport, secrets.redact).send(
    request,
    new AbortController().signal,
  );
  expect(response.headers).toEqual({ 'x-request-id': 'for [key]' });
});
