import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSignedInHome } from '../../support/binary.ts';
import { createDemoMachine, createTemporaryFolder, type EditorText } from '../../support/kith.ts';
import { runInTerminal, withExitCode } from '../../support/terminal.ts';
import { editBy, readKeptFile, replaceAll, terminal } from './editor.ts';

test('opens a file with errors again, with the errors above it, until it is valid', async () => {
  const kith = createDemoMachine();
  let reopened = '';
  const { code, err } = await kith('entries edit "Sales pipeline" DEAL-1', {
    ...terminal,
    editorText: [
      editBy(['status: Won', 'status: Wonn'], ['Rooms: 14', 'Rooms: many'], ['  Source:', '  Sources:']),
      (shown) => {
        reopened = shown;
        return replaceAll(shown, [
          ['status: Wonn', 'status: LOST'],
          ['Rooms: many', 'Rooms: 15'],
          ['  Sources:', '  Source:'],
        ]);
      },
    ],
    answers: [true],
  });
  const lines = reopened.split('\n');
  const lineOf = (start: string) => lines.findIndex((line) => line.startsWith(start)) + 1;
  expect(lines.slice(0, 4)).toEqual([
    '#! Nothing was sent. Correct the following and save:',
    `#! Line ${lineOf('status:')}: status: "Wonn" is not one of Lead, Qualified, Trial, Proposal, Negotiation, Won, Lost.`,
    `#! Line ${lineOf('  Rooms:')}: Rooms: "many" is not a number.`,
    `#! Line ${lineOf('  Sources:')}: Unknown field "Sources". Did you mean "Source"?`,
  ]);
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('  status: Won -> Lost\n') });
});

test('exits if the same invalid text is saved again, and keeps it for --file', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  const { code, err } = await kith('contacts edit 0rlnky', {
    ...terminal,
    editorText: [editBy(['first_name: 지우', 'first_name: A\nlast_nam: B']), (shown) => shown],
  });
  const kept = readKeptFile(err);
  expect({ code, err, mode: kept.mode }).toEqual({
    code: 2,
    mode: 0o600,
    err:
      '(vi)\n(vi)\nkith: Line 15: Unknown field "last_nam". Did you mean "last_name"?\n' +
      `hint: Your text is saved in ${kept.file}. To use it:\n      kith contacts edit 0rlnky --file ${kept.file}\n`,
  });
  writeFileSync(kept.file, kept.text.replace(/last_nam: B\nlast_name: .*/, 'last_name: B'));
  const applied = await kith(`contacts edit 0rlnky --file ${kept.file} --jq .`);
  expect({ ...applied, out: JSON.parse(applied.out).last_name }).toEqual({
    code: 0,
    out: 'B',
    err: 'Changes to contact 김지우 (0rlnky):\n  first_name: 지우 -> A\n  last_name: 김 -> B\n',
  });
});

test.each([
  ['says no', { answers: [false] }, 1, 'Cancelled.'],
  ['presses Escape', { answers: [] }, 130, 'Interrupted.'],
  [
    'makes the editor fail',
    { editorExitCode: 3 },
    1,
    'The editor "vi" exited with code 3; nothing was sent.',
  ],
])('sends nothing if the person %s, and keeps the text', async (_, options, code, message) => {
  const kith = createDemoMachine();
  const editorText = editBy(['first_name: 지우', 'first_name: A']);
  const result = await kith('contacts edit 0rlnky', { ...terminal, editorText, ...options });
  expect(result).toMatchObject({
    code,
    out: '',
    err: expect.stringContaining(`kith: ${message}\nhint: Your text`),
  });
  expect(readKeptFile(result.err).text).toContain('first_name: A\n');
  expect(JSON.parse((await kith('contacts get 0rlnky --json')).out).first_name).toBe('지우');
});

test.each([
  ['empty', '', 0, 1, 'The text is empty; nothing was sent.\n'],
  ['deleted', () => undefined, 0, 1, 'The text is empty; nothing was sent.\n'],
  [
    'unchanged by an editor that fails',
    (shown: string) => shown,
    1,
    1,
    'The editor "vi" exited with code 1.\n',
  ],
  [
    'not opened',
    (shown: string) => shown,
    127,
    1,
    'The editor "vi" exited with code 127.\nhint: Set VISUAL or EDITOR to another program.\n',
  ],
] as const)('keeps no text if the file is %s', async (_, editorText, editorExitCode, code, message) => {
  const kith = createDemoMachine();
  const result = await kith('contacts edit 0rlnky', { ...terminal, editorText, editorExitCode });
  expect(result).toEqual({ code, out: '', err: `(vi)\nkith: ${message}` });
});

test('overwrites a value that has changed on the service only if it is saved again', async () => {
  const kith = createDemoMachine();
  const texts: string[] = [];
  const editorText: EditorText[] = [
    async (shown) => {
      await kith('contacts update 0rlnky --first-name Theirs --last-name New --field Role=Boss');
      return replaceAll(shown, [['first_name: 지우', 'first_name: Mine']]);
    },
    (shown) => {
      texts.push(shown);
      return shown;
    },
  ];
  const refused = await kith('contacts edit 0rlnky --yes', { ...terminal, editorText });
  expect(texts[0]?.split('\n').slice(0, 3)).toEqual([
    '#! Nothing was sent: the record has changed on the service. To overwrite the new values, delete these lines and save.',
    '#! first_name: "지우" -> "Theirs"',
    '# contact 김지우 (0rlnky)',
  ]);
  expect(refused).toMatchObject({
    code: 5,
    err: expect.stringContaining(
      'kith: The record has changed on the service since you opened it: first_name.\n',
    ),
  });
  const replaced = await kith('contacts edit 0rlnky --yes --jq .', {
    ...terminal,
    editorText: [
      async (shown) => {
        await kith('contacts update 0rlnky --first-name Others --last-name Newer');
        return replaceAll(shown, [['first_name: Theirs', 'first_name: Mine']]);
      },
      (shown) => shown.replace(/^(#!.*\n)+/, ''),
    ],
  });
  expect({ code: replaced.code, record: JSON.parse(replaced.out) }).toMatchObject({
    code: 0,
    record: { first_name: 'Mine', last_name: 'Newer' },
  });
  expect(replaced.err).toContain('  first_name: Others -> Mine\n');
});

test('opens the text again if the service refuses a value, with its message', async () => {
  const kith = createDemoMachine();
  const texts: string[] = [];
  const { code, err } = await kith('contacts edit 0rlnky --yes', {
    ...terminal,
    editorText: [
      editBy(['"+821055501234"', '"+8210"']),
      (shown) => {
        texts.push(shown);
        return shown;
      },
    ],
  });
  expect(texts[0]).toMatch(
    /^#! The service refused the changes. Correct the following and save:\n#! "\+8210" is not a phone number.\n# contact/,
  );
  expect({ code, err }).toMatchObject({
    code: 5,
    err: expect.stringContaining('hint: Your text is saved in'),
  });
});

test('keeps the text if the record was deleted while it was edited', async () => {
  const kith = createDemoMachine();
  const editorText: EditorText = async (shown) => {
    await kith('contacts delete 0rlnky --yes');
    return replaceAll(shown, [['first_name: 지우', 'first_name: Mine']]);
  };
  const { code, err } = await kith('contacts edit 0rlnky --yes', { ...terminal, editorText });
  expect({ code, err }).toMatchObject({
    code: 3,
    err: expect.stringContaining('No contact has the id "0rlnky"'),
  });
  expect(readKeptFile(err).text).toContain('first_name: Mine');
});

test('sends no text that is not UTF-8, and keeps its bytes', async () => {
  const { env, home } = createSignedInHome({ NO_COLOR: '1' });
  const script = join(home, 'editor.sh');
  writeFileSync(script, '#!/bin/sh\nprintf "first_name: Ren\\351e\\n" > "$1"\n');
  chmodSync(script, 0o755);
  const { out } = await runInTerminal(withExitCode('kith contacts edit 0rlnky --yes'), {
    env: { ...env, EDITOR: script },
  });
  expect(out).toContain('kith: The text is not UTF-8; nothing was sent.');
  expect(out).toContain('code 2');
  const [, file = ''] = /--file\s+([^\s]+)/.exec(out) ?? [];
  expect(readFileSync(file, 'latin1')).toBe('first_name: Ren\u00e9e\n');
});

test.each([
  ['statuses', '{name: Open}', 'type: A value is required: one of active, won, lost.'],
  ['statuses', '{name: " ", type: won}', 'name: A value is required.'],
  ['statuses', '{name: Won, type: done}', 'type: "done" is not one of active, won, lost.'],
  ['statuses', 'Lost', 'Each item requires name and type.'],
  ['statuses', '{title: x}', 'Unknown field "title". Available fields: name, type.'],
  [
    'fields',
    '{name: A, data_type: texts}',
    'data_type: "texts" is not one of text, textarea, url, number, date, datetime, select, user, contact.',
  ],
  [
    'fields',
    '{name: B, accepts_multiple_values: yes}',
    'accepts_multiple_values: "yes" is not true or false.',
  ],
  ['fields', '{name: C, data_type: select}', 'The select field "C" requires options.'],
  ['fields', '{name: D, options: [x]}', 'The field "D" cannot have options; only select fields can.'],
  [
    'fields',
    '{name: E, data_type: select, options: [[x]]}',
    'options: Expected text, not a list or a mapping.',
  ],
])('refuses the %s %s of a list', async (key, item, problem) => {
  const stdin = `${key}:\n  - ${item}\n`;
  expect(await createDemoMachine()('lists edit "Sales pipeline" --file -', { stdin })).toEqual({
    code: 2,
    out: '',
    err: `kith: Line 2: ${key}: ${problem}\n`,
  });
});
