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

test('after any writes, an undo restores the state before the last one, and a second undo the one after it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 4 }), async (lines) => {
      const { kith, dump, dumpContent } = createRecordingMachine();
      const ids = (await dump()).contacts?.map(({ id }) => String(id)) ?? [];
      const states = [await dumpContent()];
      let wasUseless = false;
      for (const line of lines) {
        const words = line.map((word) => (/^C\d$/.test(word) ? (ids[Number(word.slice(1))] ?? '') : word));
        const { code } = await kith(words); // one whose record is deleted fails
        const state = await dumpContent();
        const hasEffect = JSON.stringify(state) !== JSON.stringify(states.at(-1));
        if (hasEffect) states.push(state);
        if (code === 0) wasUseless = !hasEffect;
      }
      // An update with the values that a record has already cannot be undone.
      if (states.length < 2 || wasUseless) return;
      expect((await kith('undo --yes')).code).toBe(0);
      expect(await dumpContent()).toEqual(states.at(-2));
      expect((await kith('undo --yes')).code).toBe(0);
      expect(await dumpContent()).toEqual(states.at(-1));
    }),
    { numRuns: 4 },
  );
});
