import { expect, test } from 'vitest';
import { createFieldColumn, createPlainColumn } from '../../src/render/columns.ts';
import { plainDisplay } from '../../src/render/display.ts';
import { createCellReader } from '../../src/render/workbook.ts';

const display = { ...plainDisplay, getName: (_: string, id: string) => `name of ${id}` };
const readCell = createCellReader(display, 'Asia/Seoul', (text) => text.replace('secret', '[redacted]'));

const text = createPlainColumn('x');
const amount = createPlainColumn('x', { isRightAligned: true });
const organization = { ...createFieldColumn('contacts', 'organization_id'), name: 'x', cell: text.cell };

test.each([
  ['a number', text, 14, 14],
  ['an amount', amount, '10920.50', 10920.5],
  ['a date', text, '2026-05-31', { value: new Date('2026-05-31'), format: 'yyyy-mm-dd' }],
  [
    'a time, as the clock shows it in the zone',
    text,
    '2026-05-31T20:00:00Z',
    { value: new Date('2026-06-01T05:00:00Z'), format: 'yyyy-mm-dd hh:mm' },
  ],
  ['the name of a record', organization, 'rl16pk', 'name of rl16pk'],
  ['several values, as an import reads them', text, ['a', 'b;'], 'a;b\\;'],
  ['objects', text, [{ name: 'Lead' }, { name: 'Won' }], 'Lead, Won'],
  ['digits of a text', text, '0012', '0012'],
  ['digits beyond the precision of a number', amount, '12345678901234567.00', '12345678901234567.00'],
  ['a text of several lines', text, 'a\n=b', 'a\n=b'],
  ['no value', text, null, null],
  ['a key', text, 'the secret', 'the [redacted]'],
  ['a text that is too long for Excel', text, 'a'.repeat(40_000), 'a'.repeat(32_767)],
])('the cell for %s', (_, column, x, cell) => {
  expect(readCell(column, { x })).toEqual(cell);
});
