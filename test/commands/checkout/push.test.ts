import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson } from '../../client/loopback.ts';
import { disturb, funnel, startControlledService } from '../../import/controlled-service.ts';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { listLogs } from '../../undo/recording-machine.ts';
import { createDemoCopy, createWorkingCopy } from './working-copy.ts';

const recorded = { env: { KITH_UNDO: 'auto' } };

/** Starts a service, and a machine with an empty working copy of it. */
async function createServedCopy() {
  const service = await startControlledService();
  const folder = createTemporaryFolder();
  return { ...createWorkingCopy(() => createMachine(folder), service.env), folder, service };
}

/** Parses the rows of a push. */
const readRows = (out: string): Record<string, unknown>[] => JSON.parse(out);

test('sends only the changes, and writes the response into the file', async () => {
  const { checkout, create, edit, get, list, push, read } = createWorkingCopy();
  const ada = await create('contacts create --first-name Ada --email ada@x.example --email b@x.example');
  await checkout();
  edit('contacts/ada.yaml', (text) =>
    text.replace('last_name:', 'last_name: King').replace('- b@x.example', '- new@x.example'),
  );
  const { code, out, err } = await push('--jq', '.');
  expect({ code, rows: readRows(out) }).toEqual({
    code: 0,
    rows: [{ status: 'updated', noun: 'contacts', id: ada, file: 'contacts/ada-king.yaml' }],
  });
  expect(err).toBe(
    `Changes to contact Ada (${ada}) in contacts/ada.yaml:\n  last_name: (none) -> King\n` +
      '  emails: ada@x.example, b@x.example -> ada@x.example, new@x.example\n',
  );
  expect(await get(`contacts get ${ada}`)).toMatchObject({
    last_name: 'King',
    emails: ['ada@x.example', 'new@x.example'],
  });
  expect(list()).toEqual(['contacts/ada-king.yaml']);
  expect(read('contacts/ada-king.yaml')).toContain('  - new@x.example\n');
  expect(await push()).toMatchObject({ code: 0, err: 'kith: No file was changed; nothing was sent.\n' });
});

test('creates new records that refer to each other, moves an entry by its folder, and undoes all', async () => {
  const { checkout, get, kith, list, push, read, root, status, write } = createDemoCopy();
  await checkout();
  const before = list();
  write('organizations/acme.yaml', 'name: Acme Inc\ndomains: [acme.example]\n');
  write('contacts/jane.yaml', 'first_name: Jane\nemails: [jane@acme.example]\norganization: acme.example\n');
  write(
    'lists/sales-pipeline/lead/jane.yaml',
    'organization: Acme Inc\ncontact: jane@acme.example\none_time_value: 120.5\n',
  );
  mkdirSync(join(root, 'organizations/acme/notes'), { recursive: true });
  write('organizations/acme/notes/call.md', 'Called.\n');
  const deal = 'deal-22-chocolates-doña-xóchitl.yaml';
  const from = join(root, 'lists/sales-pipeline/won', deal);
  renameSync(from, join(root, 'lists/sales-pipeline/lost', deal));
  rmSync(join(root, 'contacts/두루.yaml'));
  expect((await status('--local')).map(({ state, noun }) => [state, noun])).toEqual(
    expect.arrayContaining([
      ['new', 'contacts'],
      ['deleted', 'contacts'],
      ['edited', 'entries'],
      ['new', 'notes'],
    ]),
  );
  const { code, out } = await kith(['workspace', 'push', root, '--yes', '--json'], recorded);
  expect(code).toBe(0);
  const rows = readRows(out);
  expect(rows.map(({ status, noun }) => `${status} ${noun}`)).toEqual([
    ...['created organizations', 'created contacts', 'created entries', 'created notes'],
    ...['updated entries', 'deleted contacts'],
  ]);
  const [organization, contact, entry] = rows;
  expect(await get(`entries get sales-pipeline ${entry?.id}`)).toMatchObject({
    entryable_id: organization?.id,
    contact_id: contact?.id,
    status: 'Lead',
    one_time_value_cents: 12050,
  });
  expect(await get('entries get DEAL-22')).toMatchObject({ status: 'Lost' });
  expect(read('contacts/jane.yaml')).toMatch(
    /^id: \w+\nfirst_name: Jane\n.*organization: acme.example # Acme Inc\n/s,
  );
  expect(read('organizations/acme/notes/call.md')).toMatch(/^---\nid: \w+\ndeal:\n---\n\nCalled\.\n$/);
  expect(await push()).toMatchObject({ code: 0, err: expect.stringContaining('No file was changed') });
  expect(await kith('undo --yes', recorded)).toMatchObject({
    code: 0,
    out: 'Undid `kith workspace push`: 6 changes.\n',
  });
  await checkout();
  expect(list()).toEqual(before);
}, 60_000);

test('continues an update whose second request was not sent', async () => {
  const { checkout, create, edit, get, kith, push } = createWorkingCopy();
  const ada = await create('contacts create --first-name Ada --email old@math.example');
  await checkout();
  edit('contacts/ada.yaml', (text) => text.replace('old@', 'new@'));
  await kith(`contacts update ${ada} --email new@math.example`);
  expect(await get(`contacts get ${ada}`)).toMatchObject({
    emails: ['old@math.example', 'new@math.example'],
  });
  expect(await push()).toMatchObject({ code: 0 });
  expect(await get(`contacts get ${ada}`)).toMatchObject({ emails: ['new@math.example'] });
});

test('status lists an entry whose file was moved to the folder of another status', async () => {
  const { checkout, kith, push, root, status } = createDemoCopy();
  await checkout();
  const names = ['deal-58-송정브루어리', 'deal-68-زهور-الواحة'];
  const move = (name: string, folder: string) => {
    mkdirSync(join(root, `lists/sales-pipeline/${folder}`), { recursive: true });
    renameSync(
      join(root, `lists/sales-pipeline/lead/${name}.yaml`),
      join(root, `lists/sales-pipeline/${folder}/${name}.yaml`),
    );
  };
  const [first = '', second = ''] = names;
  move(first, 'won');
  move(second, 'won');
  const moved = (name: string) => ({
    state: 'edited',
    file: `lists/sales-pipeline/won/${name}.yaml`,
    fields: ['status'],
  });
  expect(await status()).toMatchObject([moved(first), moved(second)]);
  expect(await status('--local')).toMatchObject([moved(first), moved(second)]);
  await kith('entries update "Sales pipeline" DEAL-58 --status Trial');
  expect(await status()).toMatchObject([{ ...moved(first), state: 'conflict' }, moved(second)]);
  await kith('entries update "Sales pipeline" DEAL-58 --status Won');
  expect(await status()).toMatchObject([
    { ...moved(first), fields: [] },
    { state: 'changed', fields: ['status'] },
    moved(second),
  ]);
  expect(await push()).toMatchObject({ code: 0 });
  expect(await status()).toEqual([]);
}, 60_000);

test('names all errors with their files and lines, and sends nothing', async () => {
  const { checkout, edit, list, push, read, root, status, write } = createDemoCopy();
  await checkout();
  edit('contacts/김지우.yaml', (text) => text.replace('first_name: 지우', 'first_name: Valid'));
  write('contacts/copy.yaml', read('contacts/김지우.yaml'));
  write('contacts/field.yaml', 'first_nam: X\n');
  write('contacts/yaml.yaml', 'first_name: X\nlast_name: "a\n');
  write('contacts/git.yaml', '<<<<<<< HEAD\nfirst_name: X\n=======\nfirst_name: Y\n>>>>>>> main\n');
  write('contacts/id.yaml', 'id: nobody\nfirst_name: X\n');
  write('contacts/empty.yaml', 'last_name: X\n');
  write('lists/sales-pipeline/won/status.yaml', '# a comment\nstatus: Victory\n');
  write('lists/sales-pipeline/stray.yaml', 'status: Won\n');
  mkdirSync(join(root, 'lists/sales-pipeline/almost'));
  write('lists/sales-pipeline/almost/folder.yaml', 'organization: Harbour & Hake\n');
  mkdirSync(join(root, 'organizations/nobody/notes'), { recursive: true });
  write('organizations/nobody/notes/note.md', 'Called.\n');
  const meeting = list().find((file) => file.startsWith('meetings/')) ?? '';
  edit(meeting, (text) => `${text}more\n`);
  const { code, out, err } = await push();
  expect({ code, out }).toEqual({ code: 2, out: '' });
  const lines = [
    'contacts/copy.yaml:1: contacts/김지우.yaml has the same id, 0rlnky.',
    'contacts/empty.yaml:1: first_name, or at least one valid address in emails, is required.',
    'contacts/field.yaml:1: Unknown field "first_nam". Did you mean "first_name"?',
    'contacts/git.yaml:1: A merge conflict of Git begins here.',
    'contacts/id.yaml:1: No record with the id nobody was checked out.',
    'contacts/yaml.yaml:3: ',
    'lists/sales-pipeline/almost/folder.yaml:1: "almost" is not the folder of a status. Available folders: lead, qualified,',
    'lists/sales-pipeline/stray.yaml:1: A record cannot have a file with this path.',
    'lists/sales-pipeline/won/status.yaml:2: status: "Victory" is not one of Lead, Qualified,',
    `${meeting}:1: A meeting cannot be changed.`,
    'organizations/nobody/notes/note.md:1: There is no organization for the folder organizations/nobody',
  ];
  expect(err).toContain(
    `kith: Nothing was sent: there are ${lines.length} errors in ${lines.length} files.\n`,
  );
  for (const line of lines) expect(err).toContain(`  ${line}`);
  expect((await status('--local')).filter(({ state }) => state === 'invalid')).toHaveLength(lines.length);
}, 60_000);

test.each([
  [
    'CRLF line endings',
    (text: string) => text.replaceAll('\n', '\r\n'),
    [],
    'No file was changed; nothing was sent.',
  ],
  [
    'a byte order mark',
    (text: string) => `\ufeff${text}`,
    [{ state: 'edited', fields: [] }],
    'Nothing was sent. 1 edited file has the same values as the service; kith wrote it again.',
  ],
])('reads a file with %s and finds no change in it', async (_, change, rows, note) => {
  const { checkout, create, edit, get, push, status } = createWorkingCopy();
  const ada = await create('contacts create --first-name Ada');
  await checkout();
  edit('contacts/ada.yaml', change);
  expect(await status('--local')).toMatchObject(rows);
  expect(await push()).toMatchObject({ code: 0, err: `kith: ${note}\n` });
  edit('contacts/ada.yaml', (text) => change(text.replace('last_name:', 'last_name: King')));
  expect(await push()).toMatchObject({ code: 0 });
  expect(await get(`contacts get ${ada}`)).toMatchObject({ last_name: 'King' });
});

test('asks before it sends, and separately before it deletes', async () => {
  const { checkout, create, edit, kith, root } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  const bob = await create('contacts create --first-name Bob');
  await checkout();
  edit('contacts/ada.yaml', (text) => text.replace('last_name:', 'last_name: King'));
  rmSync(join(root, 'contacts/bob.yaml'));
  const line = ['workspace', 'push', root];
  expect(await kith(line)).toMatchObject({ code: 2, err: expect.stringContaining('Pass --yes') });
  expect(await kith([...line, '--dry-run'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`DELETE /v1/contacts/${bob}\n`),
  });
  const { code, err } = await kith(line, { terminal: 100, answers: [true, false] });
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('Send 1 changed record?') });
  expect(err).toContain(`Delete contact "Bob" (${bob})?`);
  expect(await kith(line, { terminal: 100, answers: [true, true] })).toMatchObject({ code: 0 });
  expect(await kith(`contacts get ${bob}`)).toMatchObject({ code: 3 });
});

test('sends the body of a note with the line endings of the record, and clears a field', async () => {
  const { checkout, create, edit, get, list, push } = createWorkingCopy();
  const id = await create('organizations create --name Acme --domain acme.example');
  const note = await create(['notes', 'create', '--organization', id, '--body', 'one\r\ntwo\r\n\r\nthree']);
  await checkout();
  const file = list().find((name) => name.endsWith('.md')) ?? '';
  edit(file, (text) => text.replace('two', 'zwei'));
  edit('organizations/acme.yaml', (text) => text.replace('domains:\n  - acme.example', 'domains: []'));
  expect(await push()).toMatchObject({ code: 0 });
  expect(await get(`notes get ${note}`)).toMatchObject({ body: 'one\r\nzwei\r\n\r\nthree' });
  expect(await get(`organizations get ${id}`)).toMatchObject({ domains: [] });
});

test('refuses a folder and a status that contradict each other', async () => {
  const { checkout, push, read, root, write } = createDemoCopy();
  await checkout();
  const name = 'deal-22-chocolates-doña-xóchitl.yaml';
  const text = read(`lists/sales-pipeline/won/${name}`);
  rmSync(join(root, 'lists/sales-pipeline/won', name));
  write(`lists/sales-pipeline/lost/${name}`, text.replace('status: Won', 'status: Trial'));
  const { code, err } = await push();
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `lists/sales-pipeline/lost/${name}:4: status: The folder stands for "Lost", but this line says "Trial".`,
    ),
  });
  write(
    `lists/sales-pipeline/lost/${name}`,
    text.replace('id: mjd1pj', 'id: mjd1pj').replace('key: DEAL-22', 'key: DEAL-1'),
  );
  expect(await push()).toMatchObject({
    code: 2,
    err: expect.stringContaining(':2: key: The API cannot change'),
  });
}, 30_000);

test('creates custom fields and lists, and uses them in the same push', async () => {
  const { checkout, create, edit, get, push, root, write } = createWorkingCopy();
  const ada = await create('contacts create --first-name Ada');
  await checkout();
  mkdirSync(join(root, 'custom-fields/contact'), { recursive: true });
  write('custom-fields/contact/tier.yaml', 'name: Tier\ndata_type: select\noptions: [Gold, Silver]\n');
  edit(
    'contacts/ada.yaml',
    (text) => `${text.replace('custom_fields: {}\n', '')}custom_fields:\n  Tier: gold\n`,
  );
  mkdirSync(join(root, 'lists/deals/open'), { recursive: true });
  write(
    'lists/deals/list.yaml',
    'name: Deals\nprocess: true\nentry_type: Contact\nidentifier: D\nduplicates_allowed: true\nstatuses:\n  - name: Open\n    type: active\n  - name: Won\n    type: won\n',
  );
  write('lists/deals/open/ada.yaml', `contact: ${ada}\n`);
  const { code, out, err } = await push('--json');
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  const rows = readRows(out);
  expect(rows.map(({ status, noun }) => `${status} ${noun}`)).toEqual([
    ...['created custom-fields', 'created lists', 'created entries', 'updated contacts'],
  ]);
  expect(JSON.stringify(await get(`contacts get ${ada}`))).toContain('"Gold"');
  expect(await get(`entries get ${rows[1]?.id} ${rows[2]?.id}`)).toMatchObject({
    status: 'Open',
    entryable_id: ada,
  });
});

test.each([
  ['another field', { first_name: 'Theirs' }],
  ['the same field', { last_name: 'Theirs' }],
])('a change of %s on the service during the push is a conflict', async (_, change) => {
  const { service, checkout, edit, kith, root } = await createServedCopy();
  const id = await service.create('contacts', { first_name: 'Ada' });
  await checkout();
  edit('contacts/ada.yaml', (text) => text.replace('last_name:', 'last_name: Mine'));
  let isFirst = true;
  service.control.before = async ({ method, url }, response) => {
    if (method !== 'PATCH' || !isFirst) return false;
    isFirst = false;
    await service.call(`PATCH ${url}`, change);
    sendJson(response, 412, { code: 'changed', error: 'The record has changed.' });
    return true;
  };
  const result = await kith(['workspace', 'push', root, '--yes', '--json']);
  expect({ code: result.code, rows: readRows(result.out) }).toMatchObject({
    code: 6,
    rows: [{ status: 'conflict', id }],
  });
  const { body } = await service.call(`GET /v1/contacts/${id}`);
  expect(body).toMatchObject({ first_name: 'Ada', last_name: null, ...change });
});

test('finds a record whose response was lost without a log', async () => {
  const { service, checkout, kith, root, write } = await createServedCopy();
  await checkout();
  mkdirSync(join(root, 'contacts'));
  write('contacts/ada.yaml', 'first_name: Ada\n');
  disturb(service.control, 'after', ({ method }) => method === 'POST');
  const first = await kith(['workspace', 'push', root, '--yes', '--json']);
  expect({ code: first.code, rows: readRows(first.out) }).toMatchObject({
    code: 0,
    rows: [{ status: 'created', file: 'contacts/ada.yaml' }],
  });
  service.control.after = () => false;
  const line = ['workspace', 'push', root, '--yes'];
  expect((await kith(line)).err).toContain('No file was changed; nothing was sent.');
  const { out } = await kith('contacts list --json');
  expect(JSON.parse(out)).toHaveLength(1);
});

test('a push that was killed before it noted a created entry does not create it twice', async () => {
  const { service, folder, ...copy } = await createServedCopy();
  const id = await service.create('contacts', { first_name: 'Ada' });
  await service.create('lists', funnel);
  await copy.checkout();
  const text = `contact: ${id}\nstatus: Lead\n`;
  mkdirSync(join(copy.root, 'lists/funnel/lead'), { recursive: true });
  copy.write('lists/funnel/lead/new.yaml', text);
  const push = () => copy.kith(['workspace', 'push', copy.root, '--yes'], recorded);
  expect((await push()).code).toBe(0);
  // As if the process had been killed right after the response to the create was logged.
  for (const [path, last] of [
    [join(copy.root, '.kith/files.ndjson'), '"row"'],
    [listLogs(folder).at(-1) ?? '', '"after"'],
  ] as const) {
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(
      path,
      `${lines.slice(0, lines.findLastIndex((line) => line.includes(last)) + 1).join('\n')}\n`,
    );
  }
  copy.write('lists/funnel/lead/new.yaml', text);
  service.takeWrites();
  expect((await push()).err).toContain(
    'Continuing the interrupted `kith workspace push`: 1 change done before.',
  );
  expect(service.takeWrites()).toEqual([]);
  expect(await copy.status()).toEqual([]);
});

test('a note file that was moved to another organization is an error', async () => {
  const { checkout, create, kith, list, push, root, status } = createWorkingCopy();
  const acme = await create('organizations create --name Acme');
  const other = await create('organizations create --name Other');
  for (const id of [acme, other])
    await create(['notes', 'create', '--organization', id, '--body', 'Called.']);
  await checkout();
  const [note = ''] = list().filter((file) => file.startsWith('organizations/acme/notes/'));
  const moved = 'organizations/other/notes/moved.md';
  renameSync(join(root, note), join(root, moved));
  for (let run = 1; run <= 2; run += 1) {
    expect(await push()).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `${moved}:1: A note cannot move to another organization. Move the file back.`,
      ),
    });
    expect(await status()).toMatchObject([{ state: 'invalid', file: moved }]);
    await checkout(); // does not accept the new place
  }
  expect(JSON.parse((await kith(`notes list --organization ${acme} --json`)).out)).toHaveLength(1);
  renameSync(join(root, moved), join(root, 'organizations/acme/notes/moved.md'));
  expect(await push()).toMatchObject({ code: 0, err: expect.stringContaining('No file was changed') });
});

test('does not count line endings as a change in any file', async () => {
  const { checkout, edit, list, push, root, status } = createDemoCopy();
  await checkout();
  for (const file of list()) edit(file, (text) => text.replaceAll('\n', '\r\n'));
  expect(await status()).toEqual([]);
  expect(await checkout()).toBe(`${root}: 509 unchanged\n`);
  expect(await push()).toMatchObject({ code: 0, err: 'kith: No file was changed; nothing was sent.\n' });
}, 60_000);

test('refuses a link in place of .kith', async () => {
  const { checkout, create, kith, root } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  await checkout();
  renameSync(join(root, '.kith'), join(root, '../state'));
  symlinkSync('../state', join(root, '.kith'));
  for (const line of [
    ['push', root, '--yes'],
    ['status', root],
    ['checkout', root],
  ])
    expect(await kith(['workspace', ...line])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${join(root, '.kith')} is a link.`),
    });
});

test.each([
  [
    'an update',
    (copy: ReturnType<typeof createWorkingCopy>) =>
      copy.edit('contacts/ada.yaml', (text) => text.replace('last_name:', 'last_name: Mine')),
  ],
  [
    'a deletion',
    (copy: ReturnType<typeof createWorkingCopy>) => rmSync(join(copy.root, 'contacts/ada.yaml')),
  ],
])('reads a record without an ETag again before %s', async (_, change) => {
  const { service, ...copy } = await createServedCopy();
  for (const first_name of ['Ada', 'Bob']) await service.create('contacts', { first_name });
  await copy.checkout();
  change(copy);
  let reads = 0;
  service.control.before = async ({ method, url }, response) => {
    if (method !== 'GET' || !/contacts\/\w+$/.test(url)) return false;
    reads += 1;
    if (reads === 2) await service.call(`PATCH ${url}`, { last_name: 'Theirs' });
    const { status, body } = await service.call(`GET ${url}`);
    sendJson(response, status, body);
    return true;
  };
  const { code, out } = await copy.kith(['workspace', 'push', copy.root, '--yes', '--json']);
  expect({ code, rows: readRows(out) }).toMatchObject({ code: 6, rows: [{ status: 'conflict' }] });
  service.control.before = () => false;
  expect(
    JSON.parse((await copy.kith('contacts list --json')).out).map(
      (one: { last_name: string }) => one.last_name,
    ),
  ).toContain('Theirs');
});

test('keeps the files of records that the service refuses to list', async () => {
  const { service, checkout, kith, list, root } = await createServedCopy();
  await service.create('contacts', { first_name: 'Ada' });
  await checkout();
  rmSync(join(root, '.kith/archive'), { recursive: true });
  service.control.before = ({ url }, response) => {
    const isRefused = url.startsWith('/v1/contacts');
    if (isRefused) sendJson(response, 403, { error: 'Forbidden' });
    return isRefused;
  };
  const { code, err } = await kith(['workspace', 'checkout', root]);
  expect({ code, err }).toMatchObject({
    code: 6,
    err: expect.stringContaining('The service did not return contacts.'),
  });
  expect(list()).toEqual(['contacts/ada.yaml']);
});

test('deletes a list only if the files of its entries were deleted too', async () => {
  const { checkout, kith, push, read, root, write } = createDemoCopy();
  await checkout('--only', 'lists');
  const list = read('lists/newsletter/list.yaml');
  rmSync(join(root, 'lists/newsletter/list.yaml'));
  expect(await push()).toMatchObject({
    code: 2,
    err: expect.stringContaining('lists/newsletter/list.yaml:1: The file was deleted, but the files of its'),
  });
  write('lists/newsletter/list.yaml', list);
  expect(await push()).toMatchObject({ code: 0, err: expect.stringContaining('No file was changed') });
  const count = readdirSync(join(root, 'lists/newsletter/entries')).length + 1;
  rmSync(join(root, 'lists/newsletter'), { recursive: true });
  expect(await push()).toMatchObject({
    code: 2,
    err: expect.stringContaining('lists/newsletter:1: The folder is missing'),
  });
  mkdirSync(join(root, 'lists/newsletter'));
  const { code, out } = await push('--json', '--delete', String(count));
  expect({ code, rows: readRows(out) }).toMatchObject({
    code: 0,
    rows: [{ status: 'deleted', noun: 'lists' }],
  });
  expect(await kith('lists get Newsletter')).toMatchObject({ code: 3 });
  expect(await checkout()).toMatch(/: \d+ unchanged\n$/);
}, 30_000);

test('a later push names records of an earlier push by their words', async () => {
  const { checkout, create, edit, push, read, root, write } = createWorkingCopy();
  await create('contacts create --first-name Bob');
  await checkout();
  mkdirSync(join(root, 'organizations'));
  write('organizations/acme.yaml', 'name: Acme\ndomains: [acme.example]\n');
  write('contacts/ada.yaml', 'first_name: Ada\norganization: acme.example\n');
  expect(await push()).toMatchObject({ code: 0 });
  expect(read('contacts/ada.yaml')).toContain('organization: acme.example # Acme\n');
  edit('contacts/ada.yaml', (text) => text.replace('last_name:', 'last_name: Lovelace'));
  expect(await push()).toMatchObject({ code: 0 });
  expect(read('contacts/ada-lovelace.yaml')).toContain('organization: acme.example # Acme\n');
});

test('a copy of a contact without its id creates a contact', async () => {
  const { checkout, create, get, push, read, write } = createWorkingCopy();
  await create('contacts create --first-name Ada --phone +442071234567');
  await checkout();
  const copy = read('contacts/ada.yaml').replace(/^id: .*\n/, '');
  write('contacts/copy.yaml', copy.replace('Ada', 'Copy').replace('+442071234567', '+442071234568'));
  expect(await push()).toMatchObject({ code: 0, err: expect.stringContaining('Create contacts/copy.yaml') });
  const id = /^id: (.*)$/m.exec(read('contacts/copy.yaml'))?.[1] ?? '';
  expect(await get(`contacts get ${id}`)).toMatchObject({
    first_name: 'Copy',
    phone_numbers: ['+442071234568'],
  });
});
