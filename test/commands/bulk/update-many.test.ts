import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';
import { createRecordedDemo, parseLines, readStatuses } from './bulk-machine.ts';

const select = `contacts list --organization 한빛물류`;

test('updates the contacts on stdin, and one undo reverts all of them', async () => {
  const kith = createRecordedDemo();
  const before = (await kith(`${select} --json`)).out;
  const stdin = (await kith(`${select} --ids-only`)).out;
  const ids = stdin.trim().split('\n');
  const { code, out, err } = await kith('contacts update - --last-name Kim --yes', { stdin });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(parseLines(out).map(({ id, status, record }) => [id, status, record?.last_name])).toEqual(
    ids.map((id) => [id, 'updated', 'Kim']),
  );
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    out: `Undid \`kith contacts update\`: ${ids.length} changes.\n`,
  });
  const withoutTimes = (text: string) => text.replaceAll(/"updated_at": "[^"]*"/g, '');
  expect(withoutTimes((await kith(`${select} --json`)).out)).toBe(withoutTimes(before));
});

test('a record that has the values already is unchanged', async () => {
  const kith = createRecordedDemo();
  const update = ['contacts', 'update', '-', '--field', 'Language=Japanese', '--yes'];
  expect(readStatuses((await kith(update, { stdin: '0rlnky\nv49o47\n' })).out)).toEqual([
    'updated',
    'updated',
  ]);
  const again = await kith(update, { stdin: 'jrpmr9\n0rlnky' });
  expect(readStatuses(again.out)).toEqual(['updated', 'unchanged']);
});

test.each([
  ['NDJSON records', `${select} --format ndjson`],
  ['a JSON array', `${select} --json`],
  ['ids in quotes', `${select} --format ndjson --jq .id|tojson`],
])('reads %s, skips blank lines, and uses each record once', async (_, line) => {
  const kith = createDemoMachine();
  const ids = (await kith(`${select} --ids-only`)).out.trim().split('\n');
  const { out: printed } = await kith(line);
  const stdin = `\n${line.endsWith('--json') ? printed : printed + printed}\n\n`;
  const { out } = await kith('contacts update - --last-name Kim --yes', { stdin });
  expect(parseLines(out).map(({ id }) => id)).toEqual(ids);
});

test('accepts names, email addresses and domains', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts update - --last-name Kim --yes', {
    stdin: '김 지우\ndohyun.park@hanbit-cold.example\n0rlnky\n',
  });
  expect(parseLines(out).map(({ id }) => id)).toEqual(['0rlnky', 'v49o47']);
  expect(await kith('contacts update - --last-name X --yes', { stdin: 'v49o47\nNo Body' })).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringContaining('kith: stdin, line 2: No contact has the id or name "No Body"'),
  });
});

test.each([
  ['id\tname\n0rlnky\t김지우', 1],
  ['0rlnky\n\n{"name":"x"}', 3],
  ['0rlnky\n[1]', 2],
  ['0rlnky\n{"id":', 2],
])('refuses %j by its line before anything is sent', async (stdin, line) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith('contacts update - --last-name Changed --yes', { stdin });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(`kith: stdin, line ${line}: `);
  expect((await kith('contacts get 0rlnky --jq .last_name')).out).not.toContain('Changed');
});

test('an empty stdin is a note', async () => {
  const kith = createDemoMachine();
  const note = { code: 0, out: '', err: 'kith: No contacts on stdin.\n' };
  expect(await kith('contacts update - --last-name X --yes', { stdin: '\n' })).toEqual(note);
  expect(await kith('contacts delete - --yes', { stdin: '' })).toEqual(note);
  expect(await kith('contacts get -', { stdin: '' })).toMatchObject({
    code: 0,
    err: 'kith: No ids on stdin.\n',
  });
});

test.each([
  ['contacts update - --last-name X', 'Refusing to update many records without confirmation.'],
  ['contacts delete -', 'Refusing to delete many records without confirmation.'],
  ['contacts update --where "id = x" --last-name X', 'Refusing to update many records without confirmation.'],
  ['contacts update 0rlnky --where "id = x" --last-name X --yes', 'ID and --where cannot be used together.'],
  ['contacts delete 0rlnky - --yes', '"-" must be the only id.'],
  ['contacts update - --yes', 'Nothing to update. Pass at least one field flag.'],
  ['contacts update --where "id = x" --yes', 'Nothing to update. Pass at least one field flag.'],
  ['contacts update --last-name X --yes', 'Missing required argument: ID|EMAIL|PHONE|NAME'],
  ['contacts update - --field Nope=1 --yes', '--field: '],
])('%s is a usage error', async (line, message) => {
  const { code, out, err } = await createDemoMachine()(line, { stdin: '0rlnky' });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
});

test('--dry-run prints the requests', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts update - --last-name X -n', { stdin: '0rlnky\nv49o47' });
  expect(out.match(/PATCH \S+/g)).toEqual(['PATCH /v1/contacts/0rlnky', 'PATCH /v1/contacts/v49o47']);
  expect((await kith(`contacts delete --where 'organization ~ 한빛' -n`)).out).toContain(
    'DELETE /v1/contacts/0rlnky\n',
  );
});

test('names the failed records with exit code 6, or with their common code if all failed', async () => {
  const kith = createRecordedDemo();
  const some = await kith('contacts update - --last-name Kim --yes', { stdin: 'nope\n0rlnky' });
  expect(readStatuses(some.out)).toEqual(['failed', 'updated']);
  expect(parseLines(some.out)[0]?.error).toMatchObject({ code: 'not_found' });
  expect(some).toMatchObject({
    code: 6,
    err: expect.stringContaining(
      'kith: Not updated: nope (No contact has the id "nope").\nhint: To continue, ',
    ),
  });
  expect((await kith('contacts update - --last-name Kim --yes', { stdin: 'nope\nnone' })).code).toBe(3);
});

test('prints results in every format', async () => {
  const kith = createDemoMachine();
  const run = async (flags: string) =>
    (await kith(`contacts update - --last-name Kim --yes ${flags}`, { stdin: '0rlnky\nnope' })).out;
  expect(await run('--format tsv')).toBe(
    'id\tstatus\terror\n0rlnky\tupdated\t\nnope\tfailed\tNo contact has the id or name "nope".\n'.replace(
      'id or name',
      'id',
    ),
  );
  expect(await run('--format csv --fields id,record.last_name')).toBe(
    'id,record.last_name\r\n0rlnky,Kim\r\nnope,\r\n',
  );
  expect(JSON.parse(await run('--json'))).toHaveLength(2);
  expect(await run('--jq [.[].status]')).toBe('["updated","failed"]\n');
  expect(await run('--ids-only')).toBe('0rlnky\n');
  expect(await run('--format table')).toMatch(/^ID +STATUS +ERROR\n0rlnky +updated/i);
});

test('a terminal shows a summary', async () => {
  const kith = createRecordedDemo();
  const stdin = (await kith(`${select} --ids-only`)).out;
  const { code, out, err } = await kith('contacts update - --last-name Kim --yes', { stdin, terminal: 100 });
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(err).toContain('kith: Updated 5 of 5.\n');
});

test('update --where shows the count and a sample, and asks', async () => {
  const kith = createRecordedDemo();
  const line = `contacts update --where 'organization != null' --field Role=Guest`;
  const declined = await kith(line, { terminal: 200, answers: [false] });
  expect(declined.code).toBe(1);
  expect(declined.err).toMatch(/Selected \d+ contacts: .*김지우 \(0rlnky\).* and \d+ more\.\n/);
  expect(declined.err).toMatch(/Update \d+ contacts\?/);
  const where = `contacts update --where 'organization ~ 한빛' --last-name 김`;
  expect(await kith(where, { terminal: 200, answers: [true] })).toMatchObject({ code: 0 });
  expect((await kith(`${select} --jq [.[].last_name]|unique[]`)).out).toBe('김\n');
});

test('updates entries by keys, by ids with or without their list, and by records with a list_id', async () => {
  const kith = createDemoMachine();
  const update = (line: string, stdin: string) =>
    kith(`entries update ${line} --status Won --yes`, { stdin });
  expect(readStatuses((await update('-', 'DEAL-1\ndeal-2\n')).out)).toEqual(['updated', 'updated']);
  const records = (await kith('entries list "Sales pipeline" --limit 2 --format ndjson')).out;
  expect(readStatuses((await update('-', records)).out)).toEqual(['updated', 'updated']);
  const ids = (await kith('entries list "Sales pipeline" --limit 2 --ids-only')).out;
  expect(readStatuses((await update('"Sales pipeline" -', ids)).out)).toEqual(['updated', 'updated']);
  expect(readStatuses((await update('-', ids)).out)).toEqual(['updated', 'updated']);
  const where = `entries update "Sales pipeline" --where 'status = Won' --status Lost --yes`;
  expect(new Set(readStatuses((await kith(where)).out))).toEqual(new Set(['updated']));
});

test('finds the lists of ids of entries, for every command that reads them from stdin', async () => {
  const kith = createDemoMachine();
  const [deals, members] = await Promise.all(
    ['"Sales pipeline"', 'Newsletter'].map((list) => kith(`entries list ${list} --limit 2 --ids-only`)),
  );
  const stdin = `${deals?.out}${members?.out}`;
  const { out } = await kith('entries get - --format ndjson --fields id,list_id', { stdin });
  expect(parseLines(out).map(({ id }) => id)).toEqual(stdin.trim().split('\n'));
  expect(new Set(out.match(/"list_id":"\w+"/g)).size).toBe(2);
  const records = (await kith('entries list Newsletter --limit 2 --fields id --format ndjson')).out;
  expect((await kith('entries show -', { stdin: records })).code).toBe(0);
  expect(await kith('entries delete - --yes', { stdin: `${stdin}0nobody\n` })).toMatchObject({
    code: 3,
    out: '',
    err: 'kith: stdin, line 5: No list has an entry with the id "0nobody".\n',
  });
  expect(readStatuses((await kith('entries delete - --yes', { stdin })).out)).toEqual(
    Array(4).fill('deleted'),
  );
});

test('--add-field adds a value to each record', async () => {
  const kith = createDemoMachine();
  const line = ['contacts', 'update', '-', '--add-field', 'Met by=rui@tidewater.example', '--yes'];
  const { code, out } = await kith(line, { stdin: '0rlnky\nv49o47' });
  expect(code).toBe(0);
  expect(parseLines(out).map(({ record }) => JSON.stringify(record).includes('rui@tidewater'))).toEqual([
    true,
    true,
  ]);
  expect(out).toContain('mina@tidewater.example');
});
