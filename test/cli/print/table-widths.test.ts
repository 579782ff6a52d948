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

/** Each table's header in a terminal of a width. */
const headers: Readonly<Record<number, readonly string[]>> = {
  40: [
    'NAME, EMAILS, ORGANIZATION',
    'KEY, ORGANIZATION, STATUS',
    'ID, CONTACT, SUBSCRIBED',
    'ID, ORGANIZATION, BODY',
    'START, TITLE',
    'NAME, DOMAINS',
    'NAME, KIND, ENTRY TYPE',
    'MODEL, NAME, DATA TYPE',
  ],
  60: [
    'NAME, EMAILS, ORGANIZATION',
    'KEY, ORGANIZATION, STATUS, ONE-TIME, RECURRING',
    'ID, CONTACT, EDITION, SUBSCRIBED',
    'ID, ORGANIZATION, BODY, CREATED',
    'START, TITLE, ATTENDEES',
    'NAME, DOMAINS',
    'NAME, KIND, ENTRY TYPE, IDENTIFIER',
    'MODEL, NAME, DATA TYPE, MULTIPLE',
  ],
  80: [
    'NAME, EMAILS, ORGANIZATION',
    'KEY, ORGANIZATION, STATUS, ASSIGNEE, ONE-TIME, RECURRING, ROOMS',
    'ID, CONTACT, EDITION, SUBSCRIBED, FAVORITE ISSUE',
    'ID, ORGANIZATION, BODY, CREATED',
    'START, TITLE, ATTENDEES',
    'NAME, DOMAINS',
    'NAME, KIND, ENTRY TYPE, IDENTIFIER',
    'MODEL, NAME, DATA TYPE, MULTIPLE, OPTIONS',
  ],
};

test.each([40, 60, 80, 100, 140, 200])(
  'lists fit a terminal of %i columns, with names in every script',
  async (columns) => {
    const kith = createDemoMachine();
    const tables: string[] = [];
    for (const line of lines) {
      const { code, out } = await kith([...splitWords(line), '--quiet'], {
        terminal: columns,
        env: { NO_COLOR: '1', TZ: 'Asia/Seoul' },
      });
      expect(code).toBe(0);
      tables.push(out);
    }
    const rows = tables.flatMap((table) => table.split('\n'));
    expect(rows.filter((row) => stringWidth(row) > columns)).toEqual([]);
    const shown = tables.map((table) => table.split('\n', 1)[0]?.split(/ {2,}/).join(', '));
    if (headers[columns]) expect(shown).toEqual(headers[columns]);
  },
);
