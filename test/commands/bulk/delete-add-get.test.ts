import { expect, test } from 'vitest';
import { funnel } from '../../import/controlled-service.ts';
import { createDemoMachine } from '../../support/kith.ts';
import { createControlledContacts, createRecordedDemo, parseLines, readStatuses } from './bulk-machine.ts';

test('deletes the records on stdin, and one undo creates them again', async () => {
  const kith = createRecordedDemo();
  const stdin = (await kith('notes list --limit 3 --ids-only')).out;
  const count = (await kith('notes list --count')).out;
  const { code, out } = await kith('notes delete - --yes', { stdin });
  expect({ code, statuses: readStatuses(out) }).toEqual({
    code: 0,
    statuses: ['deleted', 'deleted', 'deleted'],
  });
  expect(Number((await kith('notes list --count')).out)).toBe(Number(count) - 3);
  expect((await kith('undo --yes')).code).toBe(0);
  expect((await kith('notes list --count')).out).toBe(count);
});

test('delete --where names the records and asks', async () => {
  const kith = createRecordedDemo();
  const line = `contacts delete --where 'organization ~ 한빛'`;
  const { code, err } = await kith(line, { terminal: 300, answers: [true] });
  expect(code).toBe(0);
  expect(err).toContain('Delete 5 contacts');
  expect(err).toContain('"김지우" (0rlnky)');
  expect(err).toContain('Deleted 5 of 5.');
  expect(await kith(line, { terminal: 300 })).toMatchObject({ code: 0, err: 'kith: No contacts match.\n' });
});

test('adds the contacts on stdin to a list, and leaves the members unchanged', async () => {
  const kith = createRecordedDemo();
  const members = (await kith('entries list Newsletter --all --jq .[].entryable_id')).out;
  const [member = ''] = members.split('\n');
  const all = (await kith('contacts list --all --ids-only')).out.trim().split('\n');
  const others = all.filter((id) => !members.includes(id)).slice(0, 2);
  const line = 'entries add Newsletter --contact - --yes';
  const { code, out } = await kith(line, { stdin: [member, ...others].join('\n') });
  expect({ code, statuses: readStatuses(out) }).toEqual({
    code: 0,
    statuses: ['unchanged', 'added', 'added'],
  });
  expect(parseLines(out)[1]?.record).toMatchObject({ entryable_id: others[0] });
  expect(await kith('undo --yes')).toMatchObject({ out: 'Undid `kith entries add`: 2 changes.\n' });
});

test('get prints the records on stdin in their order', async () => {
  const kith = createDemoMachine();
  const stdin = 'v49o47\n0rlnky\n{"id":"jrpmr9"}\n';
  expect((await kith('contacts get - --ids-only', { stdin })).out).toBe('v49o47\n0rlnky\njrpmr9\n');
  expect((await kith('contacts get - --fields id,name', { stdin })).out).toMatch(
    /^id\tname\nv49o47\t박도현\n0rlnky\t/,
  );
  expect(JSON.parse((await kith('contacts get - --json', { stdin })).out)).toHaveLength(3);
  expect((await kith('contacts get - --format csv', { stdin })).out.split('\n')).toHaveLength(5);
  expect((await kith('contacts get - --format table', { stdin })).out).toContain('박도현');
  expect(await kith('contacts get - --ids-only', { stdin: 'nope\n0rlnky' })).toMatchObject({
    code: 6,
    out: '0rlnky\n',
    err: expect.stringContaining('Not found: nope ('),
  });
  expect((await kith('contacts get -', { stdin: 'nope' })).code).toBe(3);
});

test('get and show read meetings and entries from records', async () => {
  const kith = createDemoMachine();
  const meetings = (await kith('events list --limit 2 --format ndjson')).out;
  expect((await kith('events get - --jq .[].id', { stdin: meetings })).out.split('\n')).toHaveLength(3);
  const shown = await kith('events show - --jq .[].event.id?', { stdin: meetings });
  expect(shown.code).toBe(0);
  const deals = (await kith('entries list "Sales pipeline" --limit 2 --format ndjson')).out;
  expect((await kith('entries get - --jq .[].key', { stdin: deals })).out).toMatch(/^DEAL-\d+\nDEAL-\d+\n$/);
  const screens = await kith('contacts show -', { stdin: '0rlnky\nv49o47', terminal: 80 });
  expect(screens.out.indexOf('김지우')).toBeLessThan(screens.out.indexOf('박도현'));
});

test.each(['contacts delete - --yes', 'batch - --yes'])(
  'an undo of %s creates the entries once although an interrupted run had not deleted the contacts',
  async (command) => {
    const { kith, control, ids, sendOk } = await createControlledContacts(3);
    const { id: list } = await sendOk<{ id: string }>('POST /v1/lists', funnel);
    for (const id of ids)
      await sendOk(`POST /v1/lists/${list}/entries`, {
        entryable_id: id,
        entryable_type: 'Contact',
        status: 'Lead',
      });
    const lines = ids.map((id) => JSON.stringify({ command: 'contacts delete', id }));
    const stdin = (command.startsWith('batch') ? lines : ids).join('\n');
    control.before = ({ method }, response) => {
      if (method === 'DELETE') response.destroy();
      return method === 'DELETE';
    };
    expect((await kith(command, { stdin })).code).toBe(7);
    control.before = () => false;
    expect((await kith(command, { stdin })).code).toBe(0);
    expect((await kith('undo --yes')).code).toBe(0);
    const { out } = await kith(`entries list ${list} --all --jq length`);
    expect(out).toBe('3\n');
  },
);
