import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { quoteShellWord } from '../src/values/text.ts';
import { createSignedInHome } from './support/binary.ts';
import { runInTerminal } from './support/terminal.ts';
import { renderSvg, themes } from './support/terminal-svg.ts';

const columns = 80;

/** The commands of the picture and their output: the first ones of the screens for this width. */
const [screens = ''] = readFileSync(new URL(`cli/print/screens-${columns}.txt`, import.meta.url), 'utf8')
  .replaceAll('␛', String.fromCharCode(27))
  .split('$ kith notes create');

test('a terminal shows the screens of the picture', async () => {
  const lines = screens.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
  expect(lines).toHaveLength(3);
  const script = [
    '(kith config set user mina@tidewater.example; kith index update) > /dev/null 2>&1',
    // Progress goes to stderr.
    ...lines.map((line) => `echo '$ '${quoteShellWord(line)}; ${line} 2> /dev/null; echo`),
  ].join('; ');
  const { code, out } = await runInTerminal(script, { env: createSignedInHome().env, columns });
  expect({ code, out: out.replaceAll('\r\n', '\n') }).toEqual({ code: 0, out: screens });
});

/** `npm run screens` regenerates it. */
test.each(Object.entries(themes))('the %s picture in the README matches the screens', async (name, theme) => {
  await expect(renderSvg(screens, columns, theme)).toMatchFileSnapshot(`../.github/terminal-${name}.svg`);
});
