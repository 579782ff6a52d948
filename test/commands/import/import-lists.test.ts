import { expect, test } from 'vitest';
import { createSampleWorkspace } from '../../import/workspace.ts';

test('--organization auto conflicts with --map COLUMN=organization, and has no effect with an organization column', async () => {
  const { importRows, takeWrites } = await createSampleWorkspace();
  for (const dryRun of ['', '--dry-run']) {
    const flags = `--organization auto --map X=organization ${dryRun}`;
    expect(await importRows('contacts', 'email,X\r\na@x.example,Acme\r\n', flags)).toEqual({
      code: 2,
      out: '',
      err: 'kith: Pass --map COLUMN=organization or --organization auto, not both.\n',
    });
  }
  expect(takeWrites()).toEqual([]);
  const csvByName = 'email,organization\r\na@x.example,Acme\r\n';
  expect(await importRows('contacts', csvByName, '--organization auto --strict')).toMatchObject({
    code: 0,
    err: 'kith: The file has an organization column, so --organization auto has no effect.\n',
  });
});

test.each([
  ['contacts import', '--list Deals', 2, '"Deals" holds organizations, not a contact.'],
  ['contacts import', '--list Nothing', 3, 'Nothing'],
  ['contacts import', '--list Funnel --status Gone', 2, '"Funnel" has no status "Gone".'],
  ['contacts import', '--list Funnel --list-field email=Gone', 2, 'the list has no field "Gone".'],
  [
    'contacts import',
    '--list Funnel --list-field tier=Tier --strict',
    2,
    'row 2, tier: "Won" is not one of Gold, Silver.',
  ],
  ['entries import Funnel', '--map tier=status --strict', 0, ''],
  [
    'entries import Funnel',
    '--map tier=status --map first_name=status --ignore tier --strict',
    2,
    'row 2, first_name: "Gone" is not one of Lead, Won.',
  ],
  ['entries import News', '--map tier=status', 2, '--map: an entry of "News" has no field "status".'],
])('%s FILE %s', async (command, flags, code, message) => {
  const { kith, writeTestFile, takeWrites } = await createSampleWorkspace();
  const file = writeTestFile('sheet.csv', 'email,first_name,tier\na@x.example,Gone,Won\n');
  expect(await kith(`${command} ${file} ${flags}`)).toMatchObject({
    code,
    err: expect.stringContaining(message),
  });
  expect(takeWrites()).toEqual([]);
});
