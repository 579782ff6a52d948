import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Session } from '../../../src/cli/command/context.ts';
import { createValueReader } from '../../../src/cli/references/field-input.ts';
import { buildWrites, readFieldChanges, writeFields } from '../../../src/commands/edit/edit-document.ts';
import type { EditField } from '../../../src/commands/edit/edit-nouns.ts';
import { readYaml } from '../../../src/render/edit/read-yaml.ts';
import { normalizeLineEnds } from '../../../src/values/text.ts';
import { anyCharacter } from '../../support/any-text.ts';

const read = createValueReader({} as Session); // only references need one
const getName = (_: string, id: string) => id;

const traps = [
  '007',
  'yes',
  'off',
  '1e3',
  '2026-05-01',
  ' a',
  'a: b',
  'a #b',
  '\ta',
  'null',
  '~',
  '👩‍🚒',
  'a\nb',
  '__proto__',
];
const text = fc.oneof(
  fc.constantFrom(...traps),
  fc.string({ unit: anyCharacter, minLength: 1 }),
  fc.array(fc.constantFrom(...traps, '\n', '\r\n', '\r', '  '), { minLength: 1 }).map((all) => all.join('')),
);
const fields = fc.uniqueArray(
  fc.record({ name: text, before: fc.option(text), after: fc.option(text), isBlock: fc.boolean() }),
  { selector: ({ name }) => name, maxLength: 5 },
);

const hasCrlf = (value: string | null) => /^([^\r\n]*\r\n)+[^\r\n]*$/.test(value ?? '');

/** The text in the editor: a text whose line endings are all CRLF has line feeds there. */
const show = (value: string | null) => (hasCrlf(value) ? value?.replaceAll('\r\n', '\n') : value) || null;
/** Line endings are no change. */
const normalize = (value: string | null) => normalizeLineEnds(show(value) ?? '');

test('an edited document changes exactly the values that differ, for any names and values', async () => {
  await fc.assert(
    fc.asyncProperty(fields, async (all) => {
      const toFields = (value: 'before' | 'after'): EditField[] =>
        all.map(({ name, isBlock, ...values }) => ({
          key: name,
          name,
          container: 'custom_fields',
          value: values[value],
          type: isBlock ? 'textarea' : 'text',
          clear: null,
        }));
      const original = writeFields(['title'], toFields('before'), getName);
      const edited = writeFields(['title'], toFields('after'), getName);
      const { mapping } = readYaml(original);
      const readEdited = (text: string) => readFieldChanges(read, text, mapping, toFields('before'));
      expect(await readEdited(original.replaceAll('\n', '\r\n'))).toEqual({ changes: [], errors: [] });
      const { changes, errors } = await readEdited(edited);
      const expected = all.flatMap(({ name, before, after }) => {
        const value = hasCrlf(before) ? show(after)?.replace(/\r?\n/g, '\r\n') : show(after);
        return normalize(after) === normalize(before) ? [] : [{ name, value: value ?? null }];
      });
      expect(errors).toEqual([]);
      expect(buildWrites(changes).body.custom_fields ?? []).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('reads a body of 100 KB and sends it unchanged', async () => {
  const long = '한빛물류 냉동창고 알람 # not: a comment\n'.repeat(2500);
  const toField = (value: string): EditField[] => [{ key: 'body', name: 'body', value, type: 'textarea' }];
  const original = writeFields([], toField(long), getName);
  const edited = writeFields([], toField(`${long}end`), getName);
  const { changes } = await readFieldChanges(read, edited, readYaml(original).mapping, toField(long));
  expect(buildWrites(changes)).toEqual({ body: { body: `${long}end` }, removals: {} });
});
