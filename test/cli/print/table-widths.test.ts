import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createDemoMachine, splitWords } from '../../support/kith.ts';

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
  const kith = createDemoMachine();
  const tables = new Map<number, string>();
  for (const columns of [40, 80, 200]) {
    let all = '';
    for (const line of lines) {
      const words = [...splitWords(line), '--quiet'];
      const { code, out } = await kith(words, {
        terminal: columns,
        env: { NO_COLOR: '1', TZ: 'Asia/Seoul' },
      });
      expect(code).toBe(0);
      all += out;
    }
    expect(all.split('\n').filter((row) => stringWidth(row) > columns)).toEqual([]);
    tables.set(columns, all);
  }
  const headers = (columns: number) =>
    tables
      .get(columns)
      ?.split('\n')
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
    'CONTACT, EDITION, TOPICS',
    'ORGANIZATION, BODY, CREATED',
    'START, TITLE, ATTENDEES, RECORDINGS',
  ]);
  expect(tables.get(80)).toMatch(/^m7lwpy +DEAL-1 +한빛물류 +Won +10,920\.00 +420\.00\/mo/m);
});
