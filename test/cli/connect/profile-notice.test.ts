import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectInProcess } from '../../commands/mcp/agent.ts';
import { createEmptyWorkspace, type MachineOptions } from '../../support/kith.ts';
import { createProject } from './project-folder.ts';

/** Writes a calendar with one meeting and returns its path. */
function writeCalendar(home: string): string {
  const file = join(home, 'calendar.ics');
  const event =
    'BEGIN:VEVENT\nUID:1\nSUMMARY:Call\nDTSTART:20260102T100000Z\nDTEND:20260102T110000Z\nEND:VEVENT';
  writeFileSync(file, `BEGIN:VCALENDAR\nVERSION:2.0\n${event}\nEND:VCALENDAR\n`);
  return file;
}

test('every write names the profile of a project file on stderr once, also with --quiet', async () => {
  const { kith, file, home } = createProject({ profile: 'sample' });
  const people = join(home, 'people.csv');
  writeFileSync(people, 'First name,Email\nAda,ada@new.example\nBo,bo@new.example\n');
  const changes = join(home, 'changes.yaml');
  writeFileSync(changes, 'first_name: Edited\n');
  const env = { KITH_UNDO: 'on' };
  const run = async (line: string) => {
    const { code, err } = await kith(`${line} --quiet`, { env });
    return { line, code, err };
  };
  const written = { code: 0, err: `kith: Writing to profile sample, selected by ${file}.\n` };
  for (const line of [
    'contacts create --first-name Ada',
    'contacts update 0rlnky --first-name Ada',
    `contacts edit 0rlnky --file ${changes}`,
    'contacts merge 0rlnky v49o47 --yes',
    'undo --yes',
    'contacts delete 0rlnky --yes',
    `contacts import ${people}`,
    `contacts import --undo ${home}/people.report.csv --yes`,
    'api /v1/organizations -f name=New',
    `workspace import-events ${writeCalendar(home)}`,
    'keys create trial',
  ])
    expect.soft(await run(line)).toEqual({ line, ...written });
  for (const line of [
    'contacts list',
    'organizations delete rl16pk --dry-run',
    'api /v1/organizations',
    'keys list',
    'contacts create --first-name Ada --profile empty',
    `keys create trial --database ${createEmptyWorkspace(home, 'other.sqlite')}`,
  ])
    expect.soft(await run(line)).toEqual({ line, code: 0, err: '' });
  expect(await kith('contacts create --first-name Ada -q', { env: { KITH_PROFILE: 'empty' } })).toMatchObject(
    {
      err: '',
    },
  );
});

test('a question before a write names the profile of a project file, and stderr does not repeat it', async () => {
  const { kith } = createProject({ profile: 'sample' });
  const ask = async (line: string, answers: NonNullable<MachineOptions['answers']>, more = {}) => {
    const { code, err } = await kith(`${line} -q`, {
      terminal: 300,
      answers,
      env: { KITH_UNDO: 'on', VISUAL: 'vi' },
      ...more,
    });
    expect.soft({ line, code, repeated: err.includes('Writing to profile') }).toEqual({
      line,
      code: 0,
      repeated: false,
    });
    return err;
  };
  const first = 'Profile sample: ';
  expect(await ask('contacts delete v49o47', [true])).toContain(`${first}Delete contact "`);
  expect(await ask('undo', [true])).toContain(`${first}Undo \`kith contacts delete\`?`);
  expect(await ask('api /v1/contacts/0rlnky -X DELETE', [true])).toContain(`${first}Send DELETE `);
  expect(await ask('lists delete "Sales pipeline"', ['Sales pipeline'])).toContain(`${first}Delete process `);
  const editorText = (text: string) => text.replace(/^name: .*/m, 'name: New');
  expect(await ask('organizations edit rl16pk', [true], { editorText })).toContain(
    `${first}Send these changes?`,
  );
  expect(await ask('organizations create', ['New', '', '', '', '', '', ''])).toContain(
    `${first}Create this `,
  );
  const { err } = await kith('organizations delete rl16pk --yes -q', { terminal: 300 });
  expect(err).toContain('kith: Writing to profile sample, selected by ');
});

test('the result of an MCP tool that writes names the profile of a project file', async () => {
  const { kith, file } = createProject({ profile: 'sample' });
  const { call } = await connectInProcess(kith, {}, '--allow-write');
  const notes = [`Writing to profile sample, selected by ${file}.`];
  expect(await call('records_create', { noun: 'contacts', first_name: 'Ada' })).toMatchObject({ notes });
  expect(await call('records_create', { noun: 'contacts', first_name: 'Ada', dry_run: true })).toMatchObject({
    notes: [],
  });
  expect(await call('records_get', { noun: 'contacts', id: '0rlnky' })).toMatchObject({ notes: [] });
});
