import { expect, test } from 'vitest';
import { createClosestNames, foldName } from '../../src/values/names.ts';

test.each([
  ['case', 'ADA lovelace', 'Ada Lovelace'],
  ['spacing', '  Ada \t Lovelace ', 'Ada Lovelace'],
  ['Unicode composition', '김지우'.normalize('NFD'), '김지우'],
  ['character width', 'ＡＤＡ', 'ada'],
  ['two lower-case forms of a letter', 'ΟΔΥΣΣΕΥΣ', 'Οδυσσευς'],
  ['the case of ß', 'STRASSE', 'Straße'],
])('names are equal without differences of %s', (_, one, other) => {
  expect(foldName(one)).toBe(foldName(other));
});

test.each([
  ['Ada', 'Adam'],
  ['علي', 'على'],
])('%s and %s are different names', (one, other) => {
  expect(foldName(one)).not.toBe(foldName(other));
});

test.each([
  ['Lovelase', ['Lovelace', 'Ada Lovelace']],
  ['Ada Lovelase', ['Ada Lovelace']],
  ['김지유', ['김지우']],
  ['محمد علي', ['محمد على']],
  ['Lovel', ['Ada Lovelace', 'Lovelace']],
  ['한빛', ['한빛물류']],
  ['Grace', []],
  ['x', []],
])('the names closest to %s are %j', (text, expected) => {
  const closest = createClosestNames<string>(text);
  for (const name of ['Charles Babbage', 'Ada Lovelace', 'Lovelace', '김지우', '한빛물류', 'محمد على', ''])
    closest.add([foldName(name)], name);
  expect(closest.list()).toEqual(expected);
});

test('keeps at most three names, the nearest first', () => {
  const closest = createClosestNames<string>('Lovelace');
  for (const name of ['Lovelass', 'Ada Lovelace', 'Lovelacy', 'Lovelaze', 'Lovelace'])
    closest.add([foldName(name)], name);
  expect(closest.list()).toEqual(['Lovelace', 'Lovelacy', 'Lovelaze']);
});
