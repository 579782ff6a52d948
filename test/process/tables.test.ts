import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createSignedInHome } from '../support/binary.ts';
import { runInTerminal } from '../support/terminal.ts';

const lines = [
  'contacts list',
  'entries list "Sales pipeline"',
  'entries list Newsletter',
  'notes list',
  'events list',
  'organizations list',
  'lists list',
  'custom-fields list',
];

test('lists fit terminals of 40, 80 and 200 columns, with names in every script', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1', TZ: 'Asia/Seoul' });
  const tables = new Map<number, string>();
  for (const columns of [40, 80, 200]) {
    const script = lines.map((line) => `kith ${line} --quiet`).join('; ');
    const { code, out } = await runInTerminal(script, { env, columns });
    expect(code).toBe(0);
    const rows = out.split('\r\n');
    expect(rows.filter((row) => stringWidth(row) > columns)).toEqual([]);
    tables.set(columns, out);
  }
  const headers = (columns: number) =>
    tables
      .get(columns)
      ?.split('\r\n')
      .filter((row) => row.startsWith('ID '))
      .map((row) => row.split(/ {2,}/).slice(1).join(', '));
  expect(headers(40)).toEqual([
    'NAME, EMAILS',
    'KEY, ORGANIZATION',
    'CONTACT, EDITION',
    'BODY',
    'TITLE',
    'NAME',
    'NAME, KIND',
    'MODEL, NAME',
  ]);
  expect(headers(80)?.slice(0, 5)).toEqual([
    'NAME, EMAILS, ORGANIZATION',
    'KEY, ORGANIZATION, STATUS, ONE-TIME, RECURRING, ROOMS',
    'CONTACT, EDITION, SUBSCRIBED',
    'ORGANIZATION, BODY, CREATED',
    'START, TITLE, ATTENDEES, RECORDINGS',
  ]);
  expect(tables.get(80)).toMatch(/^m7lwpy +DEAL-1 +한빛물류 +Won +10,920\.00 +420\.00\/mo/m);
});
