import { expect, test } from 'vitest';
import { parseQuery } from '../../src/search/query.ts';

test('the last required word may be the beginning of a word, even before an excluded one', () => {
  expect(parseQuery('cold roo').map(({ match }) => match)).toEqual(['"cold"', '"roo" *']);
  expect(parseQuery('cold roo -alarm').map(({ match }) => match)).toEqual(['"cold"', '"roo" *', '"alarm"']);
});
