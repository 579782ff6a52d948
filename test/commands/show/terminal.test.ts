import { expect, test } from 'vitest';
import { createSignedInHome } from '../../support/binary.ts';
import { runInTerminal } from '../../support/terminal.ts';
import { smallWorkspace, startRelationshipService } from './relationship-service.ts';

const bold = (text: string) => `\x1b[1m${text}\x1b[22m`;

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
