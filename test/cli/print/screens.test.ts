import { expect, test } from 'vitest';
import { measureWidth } from '../../../src/render/text/width.ts';
import { createDemoMachine } from '../../support/kith.ts';

const lines = [
  ['notes', 'create', '--organization', 'rl16pk', '--body', '@test/cli/print/screens-note.md'],
  ['recordings', 'summary', 'nk63yk'],
  ['recordings', 'transcript', 'nk63yk', '--timestamps', '--to', '0:25'],
  ['recordings', 'transcript', '0k7n4z', '--to', '0:20'],
  ['contacts', 'get', '0rlnky'],
  ['lists', 'report', 'Sales pipeline'],
  ['contacts', 'list', '--where', 'frist_name = Ada'],
];

const esc = String.fromCharCode(27);

/** Removes colors and the addresses of hyperlinks. */
const toPlain = (text: string) =>
  text.replace(new RegExp(`${esc}(\\[[\\d;]*m|\\]8;;.*?${esc}\\\\)`, 'g'), '');

/** `npx vitest run test/cli/print/screens.test.ts --update` regenerates the screens. */
test.each([40, 80, 200])('texts in a terminal of %i columns', async (terminal) => {
  const kith = await createDemoMachine();
  const env = { FORCE_HYPERLINK: '1' };
  const now = new Date('2026-11-21T12:00:00Z');
  let screens = '';
  for (const line of lines) {
    const { out, err } = await kith(line, { terminal, env, now });
    // Times are those of the machine's time zone.
    const screen = out.replace(/^.*(_at|Last visit).*\n/gm, '');
    screens += `$ kith ${line.join(' ')}\n${screen}${err}\n`;
    const rows = toPlain(out + err).split('\n');
    expect(rows.filter((row) => measureWidth(row) > terminal && !row.includes('jq -r'))).toEqual([]);
  }
  await expect(screens.replaceAll(esc, '␛')).toMatchFileSnapshot(`screens-${terminal}.txt`);
});

test('texts in a pipe are plain Markdown and plain text', async () => {
  const kith = await createDemoMachine();
  const { out } = await kith('recordings summary nk63yk');
  expect(out).toMatch(/^## Summary\n\n稟議書.*\n\n## Topics\n\n### .*\n/);
  expect(out).toContain('\n- [ ] 森が');
  expect((await kith('recordings transcript nk63yk --to 0:02')).out).toBe('吉田恵: 三番目です。\n');
  const { out: id } = await kith([
    'notes',
    'create',
    '--organization',
    'rl16pk',
    '--body',
    '# A\n\n**b**',
    '--jq',
    '.id',
  ]);
  expect((await kith(`notes get ${id.trim()} --jq .body`)).out).toBe('# A\n\n**b**\n');
});
