import { expect, test } from 'vitest';
import { formatCommandName } from '../../../src/cli/command/command.ts';
import { isWrite, sendsRequests } from '../../../src/cli/command/effects.ts';
import { commandTree } from '../../../src/commands/tree.ts';
import type { Route } from '../../../src/contract/grammar.ts';
import { contract } from '../../../src/contract/index.ts';
import { listPermissionWords } from '../../../src/contract/permissions.ts';
import { findPermissions } from '../../../src/writes/nouns.ts';
import { createDemoMachine } from '../../support/kith.ts';

/** The commands that change nothing in a workspace. test/commands/workspace/offline.test.ts runs others without the service. */
const otherCommands = [
  ...['agents install', 'agents list', 'agents remove', 'agents show'],
  ...['alias delete', 'alias list', 'alias set', 'auth list', 'auth logout', 'auth switch'],
  ...['commands', 'completion', 'config get', 'config list', 'config path', 'config set', 'config unset'],
  ...['keys list', 'meetings export status', 'schedule install', 'schedule list', 'schedule remove'],
  ...['schedule run', 'schema', 'serve', 'version', 'workspace backup', 'workspace checkout'],
  ...['workspace diff', 'workspace info', 'workspace pull', 'workspace status', 'workspace verify'],
];

test('a command is refused with --readonly, or is listed here as one that writes nothing to the workspace', async () => {
  const commands = await Promise.all(
    commandTree.map(async (entry) =>
      (entry.isShorthand ? [] : await entry.commands()).flatMap((command) => {
        const readsOffline = sendsRequests(command) && entry.name !== 'workspace';
        return isWrite(command) || readsOffline ? [] : [formatCommandName(entry, command)];
      }),
    ),
  );
  expect(commands.flat().sort()).toEqual(otherCommands);
});

test('every example of a command that writes is refused with KITH_READONLY', async () => {
  const kith = createDemoMachine();
  const commands = await Promise.all(commandTree.map(({ commands }) => commands()));
  const writing = commands.flat().filter((command) => isWrite(command));
  const others =
    /--dry-run|^followup(?!.*--snooze)|^notes update NOTE$| < |^undo --list|^api "?\/v1\/\w+(\?\S+)? --(jq|paginate)|^workspace copy .*\/$/;
  const lines = writing.flatMap(({ examples }) => examples.filter((line) => !others.test(line)));
  for (const line of lines)
    expect([line, await kith(line, { env: { KITH_READONLY: '1' } })]).toMatchObject([
      line,
      { code: 8, out: '', err: expect.stringMatching(/ is not allowed: KITH_READONLY is set\.(\n|",)/) },
    ]);
  expect(lines.length).toBeGreaterThan(writing.length / 2);
});

test('--allow can name every write of the contract', () => {
  const words = new Set(listPermissionWords());
  for (const route of Object.values(contract).flatMap((routes) => Object.values<Route>(routes))) {
    const path = route.path.replaceAll(/:\w+/g, 'x');
    const [permission] = findPermissions({ method: route.method, path, query: [] });
    if (route.method === 'GET') expect(permission).toBeUndefined();
    else
      expect([permission, [...words]]).toEqual([
        permission,
        expect.arrayContaining([permission?.replace('entries:create', 'entries:add')]),
      ]);
  }
});
