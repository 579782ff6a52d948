import { expect, test } from 'vitest';

import { measureWidth } from '../../../src/render/text/width.ts';
import { quoteShellWord } from '../../../src/values/text.ts';
import { createDemoMachine } from '../../support/kith.ts';

const lines = [
  ['today', '--date', '2026-10-21'],
  ['contacts', 'find', '--phone', '010-5550-1234'],
  ['report', 'Sales pipeline'],
  ['notes', 'create', '--organization', 'rl16pk', '--body', '@test/cli/print/screens-note.md'],
  ['meetings', 'grep', 'cold room', '--max', '2'],
  ['recordings', 'summary', 'nk63yk'],
  ['recordings', 'transcript', 'nk63yk', '--timestamps', '--to', '0:25'],
  ['recordings', 'transcript', '0k7n4z', '--to', '0:20'],
  ['contacts', 'get', '0rlnky'],
  ['contacts', 'list', '--where', 'frist_name = Ada'],
];

const esc = String.fromCharCode(27);

/** Removes colors and the addresses of hyperlinks. */
const toPlain = (text: string) =>
  text.replace(new RegExp(`${esc}(\\[[\\d;]*m|\\]8;;.*?${esc}\\\\)`, 'g'), '');

/** The colors of the text and the background, as some terminals tell them: black on white, and white on black. */
const themes = { light: '0;15', dark: '15;0' };
const terminals = [40, 80, 200].flatMap((columns) =>
  (['light', 'dark'] as const).map((theme) => [columns, theme] as const),
);

/** `npm run screens` regenerates the screens, and the picture in the README, which is made of them. */
test.each(terminals)('texts in a terminal of %i columns, %s', async (terminal, theme) => {
  const kith = createDemoMachine();
  const env = { FORCE_HYPERLINK: '1', COLORFGBG: themes[theme] };
  const now = new Date('2026-11-21T12:00:00Z');
  await kith('config set user mina@tidewater.example');
  await kith('index update --quiet');
  let screens = '';
  for (const line of lines) {
    const { out, err } = await kith(line, { terminal, env, now });
    // Times are those of the machine's time zone.
    const screen = out.replace(/^.*(Created|Updated|Last visit).*\n/gm, '');
    screens += `$ kith ${line.map(quoteShellWord).join(' ')}\n${screen}${err}\n`;
    const rows = toPlain(out + err).split('\n');
    expect(rows.filter((row) => measureWidth(row) > terminal && !row.includes('jq -r'))).toEqual([]);
  }
  await expect(screens.replaceAll(esc, '␛')).toMatchFileSnapshot(`screens-${terminal}.txt`);
});

test('texts in a pipe are plain Markdown and plain text', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('recordings summary nk63yk');
  expect(out).toMatch(/^## Summary\n\n稟議書.*\n\n## Topics\n\n### .*\n/);
  expect(out).toContain('\n- [ ] 森が');
  expect((await kith('recordings transcript nk63yk --to 0:02')).out).toBe('吉田恵: 三番目です。\n');
  const { out: id } = await kith('notes create --organization rl16pk --body "# A\n\n**b**" --jq .id');
  expect((await kith(`notes get ${id.trim()} --jq .body`)).out).toBe('# A\n\n**b**\n');
});
