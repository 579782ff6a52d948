import { expect, test } from 'vitest';
import { createSignedInHome } from './support/binary.ts';
import { runInTerminal } from './support/terminal.ts';
import { renderSvg, themes } from './support/terminal-svg.ts';

const columns = 97;
const lines = [
  'kith contacts find --phone 010-5550-1234',
  'kith lists report "Sales pipeline"',
  'kith events grep "cold room" --max 2',
];

/** `npm run picture` regenerates the picture if the output of these lines changed. */
test('the picture in the README matches the output of a terminal', async () => {
  const script = lines.map((line) => `echo '$ ${line}'; ${line}; echo`).join('; ');
  const { code, out } = await runInTerminal(script, { env: createSignedInHome().env, columns });
  expect(code).toBe(0);
  const expected = out.replaceAll('\r\n', '\n');
  for (const [name, theme] of Object.entries(themes)) {
    await expect(renderSvg(expected, columns, theme)).toMatchFileSnapshot(`../.github/terminal-${name}.svg`);
  }
});
