import { expect, test } from 'vitest';
import { extractHost, isUrl } from '../../src/values/domain.ts';

test('recognizes hosts and URLs after many calls', () => {
  const answers = new Set<unknown>();
  for (let count = 0; count < 100_000; count += 1) {
    answers.add(extractHost('https://bücher.example'));
    answers.add(isUrl('https://bücher.example'));
  }
  expect([...answers]).toEqual(['xn--bcher-kva.example', true]);
});
