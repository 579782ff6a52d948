import { expect, test } from 'vitest';
import { createFieldErrors, type FieldPath, formatPointer } from '../../src/contract/field-errors.ts';

test.each<[FieldPath, string]>([
  [[], '#'],
  [['emails', 0], '#/emails/0'],
  [['a/b'], '#/a~1b'],
  [['a~b'], '#/a~0b'],
  [['~1'], '#/~01'],
  [['', 'x'], '#//x'],
  [['한 글'], '#/%ED%95%9C%20%EA%B8%80'],
])('the pointer to %j is %s', (path, pointer) => {
  expect(formatPointer(path)).toBe(pointer);
});

test('the first error of a value hides later ones at or below its path, and no others', () => {
  const fieldErrors = createFieldErrors();
  fieldErrors.add(['fields', 1], 'type', 'First.');
  fieldErrors.add(['fields', 1], 'required', 'Hidden: the same place.');
  fieldErrors.add(['fields', 1, 'name'], 'required', 'Hidden: below it.');
  fieldErrors.add(['fields', 10], 'type', 'Second.');
  fieldErrors.add(['fields'], 'value', 'Third.');
  expect(() => fieldErrors.raise()).toThrowError(
    expect.objectContaining({
      code: 'invalid',
      message: 'First. (and 2 more)',
      detail: {
        fieldErrors: [
          { pointer: '#/fields/1', code: 'type', message: 'First.' },
          { pointer: '#/fields/10', code: 'type', message: 'Second.' },
          { pointer: '#/fields', code: 'value', message: 'Third.' },
        ],
      },
    }),
  );
});

test('throws nothing if there are no errors', () => {
  expect(() => createFieldErrors().raise()).not.toThrow();
});
