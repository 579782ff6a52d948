import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createSignedInHome } from '../../support/binary.ts';
import { runInTerminal } from '../../support/terminal.ts';
import { smallWorkspace, startRelationshipService } from './relationship-service.ts';

const bold = (text: string) => `\x1b[1m${text}\x1b[22m`;

test('fits terminals of 40, 80 and 200 columns', async () => {
  const { env } = createSignedInHome();
  const line = 'for n in 40 80 200; do stty cols $n; echo "width $n"; kith organizations show rl16pk; done';
  const { out } = await runInTerminal(line, { env });
  const screens = out.replaceAll('\r', '').split('width ').slice(1);
  expect(screens.length).toBe(3);
  for (const screen of screens) {
    const [columns = '', ...lines] = screen.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['한빛물류', 'People', 'Open entries', 'Notes', 'Past meetings'].map(bold)),
    );
    expect(lines.filter((one) => stringWidth(one) > Number(columns))).toEqual([]);
  }
  const counts = screens.map((screen) => screen.split('\n').length);
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
});

test('shows progress while a slow service responds', async () => {
  const { env: signedIn } = createSignedInHome();
  const { env } = await startRelationshipService(smallWorkspace, undefined, 600);
  const { out } = await runInTerminal('kith organizations show o1', {
    hasProgress: true,
    env: { ...signedIn, ...env },
  });
  expect(out).toContain('Reading records');
  expect(out).toContain(bold('Acme'));
});
