import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countRounds, seed } from '../support/rounds.ts';
import { createRecordingMachine } from './recording-machine.ts';

const name = fc.constantFrom('지우', 'Ada', 'Łukasz', 'a "b" c');
const contact = fc.nat(5);

/** A command line; `C2` stands for the third contact. */
const command = fc.oneof(
  fc.tuple(contact, name).map(([id, first]) => ['contacts', 'update', `C${id}`, '--first-name', first]),
  fc
    .tuple(contact, fc.nat(99))
    .map(([id, number]) => ['contacts', 'update', `C${id}`, '--email', `x${number}@b.example`]),
  fc.tuple(contact, name).map(([id, role]) => ['contacts', 'update', `C${id}`, '--field', `Role=${role}`]),
  contact.map((id) => ['contacts', 'update', `C${id}`, '--organization', '']),
  contact.map((id) => ['contacts', 'delete', `C${id}`, '--yes']),
  name.map((first) => ['contacts', 'create', '--first-name', first]),
  name.map((title) => ['organizations', 'create', '--name', `${title} GmbH`]),
  fc.constant(['organizations', 'delete', '한빛물류', '--yes']),
  fc.constant(['lists', 'delete', 'Newsletter', '--yes']),
  name.map((title) => ['lists', 'update', 'Newsletter', '--name', title]),
);

const move = fc.constantFrom(['undo'], ['redo']);

/**
 * Runs commands, undos and redos on a sample workspace, then undoes all one by one and repeats all. `states` are those
 * before and after each command that is not forgotten, of which `at` is the current one.
 */
async function walk(lines: readonly (readonly string[])[]): Promise<void> {
  const { kith, dump, dumpContent } = await createRecordingMachine();
  const ids = (await dump()).contacts?.map(({ id }) => String(id)) ?? [];
  let states = [await dumpContent()];
  let at = 0;
  const move = async (verb: string) => {
    const next = at + (verb === 'undo' ? -1 : 1);
    const { code } = await kith(`${verb} --yes`);
    expect(code).toBe(states[next] ? 0 : 3);
    if (states[next]) at = next;
    expect(await dumpContent()).toEqual(states[at]);
  };
  for (const line of lines) {
    const [verb = ''] = line;
    if (verb === 'undo' || verb === 'redo') {
      await move(verb);
      continue;
    }
    await kith(line.map((word) => (/^C\d$/.test(word) ? (ids[Number(word.slice(1))] ?? '') : word)));
    const state = await dumpContent(); // that of a command that changed nothing is the one before
    if (JSON.stringify(state) === JSON.stringify(states[at])) continue;
    states = [...states.slice(0, at + 1), state];
    at += 1;
  }
  while (at > 0) await move('undo');
  await move('undo');
  while (at < states.length - 1) await move('redo');
  await move('redo');
}

const commandsAndMoves = fc.array(
  fc.oneof({ weight: 3, arbitrary: command }, { weight: 1, arbitrary: move }),
  { minLength: 1, maxLength: 6 },
);

test.each<{ steps: Parameters<typeof walk>[0] }>([
  {
    steps: [
      ['contacts', 'delete', 'C3', '--yes'],
      ['organizations', 'delete', '한빛물류', '--yes'],
      ['contacts', 'update', 'C3', '--first-name', 'Ada'],
    ],
  },
  {
    steps: [
      ['contacts', 'update', 'C2', '--first-name', 'Ada'],
      ['contacts', 'delete', 'C2', '--yes'],
    ],
  },
])('each undo restores the state before a command, and each redo the state after it', ({ steps }) =>
  walk(steps),
);

test('after any writes, each undo restores the state before a command, and each redo the state after it', async () => {
  for (const round of countRounds(1, 48))
    await fc.assert(fc.asyncProperty(commandsAndMoves, walk), { numRuns: 1, seed: seed + round });
}, 600_000);
