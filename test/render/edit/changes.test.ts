import { expect, test } from 'vitest';
import { renderChanges } from '../../../src/render/edit/changes.ts';
import { plainPaint } from '../../../src/render/text/paint.ts';
import { measureWidth } from '../../../src/render/text/width.ts';

const body = Array.from({ length: 30 }, (_, line) => `줄 ${line}`).join('\n');
const changes = [
  { name: 'first_name', before: undefined, after: '지우' },
  {
    name: 'Delivery notes',
    before: '감천항 3번 게이트로 들어와 경비실에서 문 반장님을 찾을 것',
    after: undefined,
  },
  {
    name: 'body',
    before: body,
    after: body.replace('줄 3\n', '줄 3\r\n세 번째 줄을 조금 더 길게 적어서 줄이 바뀌는지 본다\n'),
  },
  { name: '\u001b[2J\nname', before: '\u202ea\u0007', after: '\u001b]0;x\u0007' },
  { name: 'note', before: 'one\ntwo\u001b[2J', after: 'one\nthree\u202e' },
];

test.each([40, 80, 200])('fits the changes into %i columns', (width) => {
  const lines = renderChanges(changes, { width, paint: plainPaint }).split('\n');
  for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(width);
  expect(lines).toContain('  first_name: (none) -> 지우');
});

test('shows only the lines of a text that differ, without control characters, and no line feeds of a name', () => {
  const lines = renderChanges(changes, { width: undefined, paint: plainPaint }).split('\n');
  expect(lines).toEqual([
    '  first_name: (none) -> 지우',
    '  Delivery notes: 감천항 3번 게이트로 들어와 경비실에서 문 반장님을 찾을 것 -> (none)',
    '  body:',
    '    + 세 번째 줄을 조금 더 길게 적어서 줄이 바뀌는지 본다',
    '  \\x1b[2J name: \\u202ea\\x07 -> \\x1b]0;x\\x07',
    '  note:',
    '    - two\\x1b[2J',
    '    + three\\u202e',
    '',
  ]);
});

test('counts the lines of a long text', () => {
  const lines = renderChanges([{ name: 'body', before: body, after: 'one\n' }], {
    width: 80,
    paint: plainPaint,
  });
  expect(lines).toContain('    - 줄 9\n    - ... and 20 more lines\n    + one\n');
});

test('paints values in colors', () => {
  const mark = (color: string) => (text: string) => `<${color} ${text}>`;
  const paint = {
    ...plainPaint,
    bold: mark('bold'),
    red: mark('red'),
    green: mark('green'),
    dim: mark('dim'),
  };
  const [first] = changes;
  expect(renderChanges(first ? [first] : [], { width: 80, paint })).toBe(
    '<bold   first_name:> <dim (none)> -> <green 지우>\n',
  );
});
