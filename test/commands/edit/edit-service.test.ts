import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine, type EditorText } from '../../support/kith.ts';
import { editBy, readKeptFile, terminal } from './editor.ts';

/** Starts a service with one contact, which responds to writes with a status. */
async function startContactService(contact: object, status: number, definitions: readonly object[] = []) {
  const { url, requests } = await startTestService((request, response) => {
    if (request.method !== 'GET') return sendJson(response, status, { ...contact, message: 'Not now.' });
    sendJson(response, 200, request.url.startsWith('/v1/custom_fields') ? { data: definitions } : contact);
  });
  const env = { ...terminal.env, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const listWrites = () =>
    requests.filter(({ method }) => method !== 'GET').map(({ method, body }) => [method, JSON.parse(body)]);
  return { options: { ...terminal, env }, listWrites };
}

test.each([
  ['a service that is unavailable', 503, 75],
  ['an unknown outcome', 502, 7],
  ['a conflict', 409, 5],
])('keeps the text after %s, and sends nothing twice', async (_, status, code) => {
  const { options, listWrites } = await startContactService({ id: 'c1', first_name: 'Ada' }, status);
  const editorText = editBy(['first_name: Ada', 'first_name: Grace']);
  const result = await createMachine()('contacts edit c1 --yes --retries 0', { ...options, editorText });
  expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
  expect(readKeptFile(result.err).text).toContain('first_name: Grace\n');
  expect(listWrites()).toEqual([['PATCH', { first_name: 'Grace' }]]);
});

test('edits a record with few properties and incomplete field definitions', async () => {
  const definitions = [
    { id: 'f1', name: 'Code', model: 'contact' },
    { id: 'f2', name: 'Code', model: 'contact', data_type: 'number' },
    { id: 'f3', name: '__proto__', model: 'contact', data_type: 'text' },
    { id: 'f4', name: 'Tags', model: 'contact', data_type: 'text' },
  ];
  const contact = {
    id: 'c1',
    emails: [{ address: 'ada@x.example' }],
    custom_fields: { f4: { name: 'Tags', value: ['\u001b[2Ja', '# b'] } },
  };
  const { options, listWrites } = await startContactService(contact, 200, definitions);
  let shown = '';
  const editorText: EditorText = (text) => {
    shown = text;
    return text
      .replace('__proto__:', '__proto__: yes')
      .replace('Code:', 'Code: 007')
      .replace('    - "# b"\n', '    - "# b"\n    - c\n');
  };
  const { code } = await createMachine()('contacts edit c1 --yes', { ...options, editorText });
  // The service sends no phone numbers, so an edit, which would replace all of them, does not offer them.
  expect(shown.slice(shown.indexOf('\nfirst_name'))).toBe(
    '\nfirst_name:\nlast_name:\nemails:\n  - ada@x.example\n' +
      '# an organization: id, domain or name\norganization_id:\ncustom_fields:\n  Code:\n  __proto__:\n' +
      '  # several values\n  Tags:\n    - "\\e[2Ja"\n    - "# b"\n',
  );
  const custom_fields = [
    { name: 'Code', value: '007' },
    { name: '__proto__', value: 'yes' },
    { name: 'Tags', value: ['\u001b[2Ja', '# b', 'c'] },
  ];
  expect({ code, writes: listWrites() }).toEqual({ code: 0, writes: [['PATCH', { custom_fields }]] });
});

test('finds a list by its new name after an edit, and no longer by the old one', async () => {
  const kith = createDemoMachine();
  await kith('lists list');
  const editorText = editBy(['name: Newsletter', 'name: Digest']);
  expect((await kith('lists edit Newsletter --yes', { ...terminal, editorText })).code).toBe(0);
  // A dry run uses the cached names.
  const codes = ['Digest', 'Newsletter'].map(
    async (list) => (await kith(`lists update ${list} --name x --dry-run`)).code,
  );
  expect(await Promise.all(codes)).toEqual([0, 3]);
});
