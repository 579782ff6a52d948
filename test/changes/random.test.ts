import fc from 'fast-check';
import { expect, test } from 'vitest';
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

/** Runs commands on a sample workspace, undoes all one by one, and then repeats all. */
async function walk(lines: readonly (readonly string[])[]): Promise<void> {
  const { kith, run, dump, dumpContent } = createRecordingMachine();
  const ids = (await dump()).contacts?.map(({ id }) => String(id)) ?? [];
  const states = [await dumpContent()];
  for (const line of lines) {
    await kith(line.map((word) => (/^C\d$/.test(word) ? (ids[Number(word.slice(1))] ?? '') : word)));
    const state = await dumpContent(); // that of a command that changed nothing is the one before
    if (JSON.stringify(state) !== JSON.stringify(states.at(-1))) states.push(state);
  }
  for (const state of states.slice(0, -1).toReversed()) {
    await run('undo --yes');
    expect(await dumpContent()).toEqual(state);
  }
  expect((await kith('undo --yes')).code).toBe(3);
  for (const state of states.slice(1)) {
    await run('redo --yes');
    expect(await dumpContent()).toEqual(state);
  }
  expect((await kith('redo --yes')).code).toBe(3);
}

test('after any writes, each undo restores the state before one, and each redo the state after it', async () => {
  await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 4 }), walk), {
    numRuns: process.env.KITH_LONG === '1' ? 50 : 4,
    examples: [
      [
        [
          ['contacts', 'delete', 'C3', '--yes'],
          ['organizations', 'delete', '한빛물류', '--yes'],
          ['contacts', 'update', 'C3', '--first-name', 'Ada'],
        ],
      ],
      [
        [
          ['contacts', 'update', 'C2', '--first-name', 'Ada'],
          ['contacts', 'delete', 'C2', '--yes'],
        ],
      ],
    ],
  });
}, 120_000);
