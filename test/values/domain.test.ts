import { expect, test } from 'vitest';
import { extractHost, isUrl } from '../../src/values/domain.ts';

test('recognizes hosts and URLs after many calls', () => {
  const responses = new Set<unknown>();
  for (let count = 0; count < 100_000; count += 1) {
    responses.add(extractHost('https://bücher.example'));
    responses.add(isUrl('https://bücher.example'));
  }
  expect([...responses]).toEqual(['xn--bcher-kva.example', true]);
});
