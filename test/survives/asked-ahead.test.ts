import { expect, test } from 'vitest';
import { freshEnv, shell } from '../binary.ts';
import { answer, loopback } from '../client/loopback.ts';
import { temporaryFolder } from '../kith.ts';

test.each([
  ['a page that is refused', 400, 'kith contacts list --all --page-size 1 --format ndjson --debug >file'],
  ['a reader that has gone', 200, 'kith contacts list --all --page-size 1 --format ndjson --debug | head -1'],
])('After %s the pages that were asked ahead are let go, and not asked again', async (_, status, line) => {
  const { url, seen } = await loopback(({ url: asked }, response) => {
    const after = Number(new URL(asked, 'http://x').searchParams.get('after'));
    const pagination = { end_cursor: after + 1, has_next_page: true, total_count: 9 };
    const page = { data: [{ id: `c${after}` }], pagination };
    if (after === 0) answer(response, 200, page);
    // The others are silent.
    if (after === 1) setTimeout(() => answer(response, status, page), 100);
  });
  const home = temporaryFolder();
  const env = freshEnv(home, { KITH_BASE_URL: url, KITH_API_KEY: 'kith_key-asked-ahead' });
  const { err } = await shell(line, { env, cwd: home });
  expect(seen.length).toBeGreaterThan(3);
  expect(err).not.toContain('again in');
});
