import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createEnv, createSignedInHome } from '../../support/binary.ts';
import { createTemporaryFolder } from '../../support/kith.ts';
import { runInTerminal, withExitCode } from '../../support/terminal.ts';

/** Removes cursor and color sequences from terminal output. */
const toPlainText = (out: string) => stripVTControlCharacters(out).replaceAll('\r', '');

/** Returns whether the cursor, which a prompt hides, is visible again. */
const seesCursor = (out: string) => out.lastIndexOf('\u001b[?25h') >= out.lastIndexOf('\u001b[?25l');

const down = '\u001b[B';
const line = 'kith contacts get --fields id,emails';

test('shows at most ten choices in 40 columns, each on one line, and filters by Korean', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(withExitCode(line), {
    env,
    columns: 40,
    reactions: [
      ['Which contact?', '한빛'],
      ['matches)', ' ㅈ'],
      ['No matches found', '\r'],
      ['Nothing matches', '\u007f지'],
      ['(1 match)', '\r'],
    ],
  });
  const [first = '', ...redraws] = toPlainText(out).split('└');
  expect(first.split('\n')).toEqual([
    '│',
    '◆  Which contact?',
    '│',
    '│  Search: _',
    '│  ● 김지우 (jiwoo.kim@hanbit-cold.ex…)',
    '│  ○ 박도현 (dohyun.park@hanbit-cold.…)',
    '│  ○ 이서연 (seoyeon.lee@hanbit-cold.…)',
    '│  ○ 문태식 (night.desk@hanbit-cold.e…)',
    '│  ○ 오민재 (minjae.oh@hanbit-cold.ex…)',
    '│  ○ 강말순 (malsoon.kang@jagalchi-da…)',
    '│  ○ 조현우 (hyunwoo.cho@jagalchi-daw…)',
    '│  ○ 신은별 (eunbyeol.shin@jagalchi-d…)',
    '│  ○ 마길수 (gilsu.ma@jagalchi-dawn.e…)',
    '│  ...',
    '│  ↑/↓ to select • Enter: confirm • ',
    'Type: to search',
    '',
  ]);
  expect(redraws.join('')).toContain('│  ● 김지우 (jiwoo.kim@hanbit-cold.ex…)');
  expect(toPlainText(out).split('\n').slice(-5)).toEqual([
    '│  김지우 (jiwoo.kim@hanbit-cold.ex…)',
    'ID      EMAILS',
    '0rlnky  jiwoo.kim@hanbit-cold.example',
    'code 0',
    '',
  ]);
  expect(seesCursor(out)).toBe(true);
});

test('arrows and Enter choose, first the list and then the entry', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(
    withExitCode('kith entries get --fields key --format tsv --no-header'),
    {
      env,
      reactions: [
        ['Which list or process?', 'process'],
        ['2 matches', '\r'],
        ['Which entry?', `${down}${down}\r`],
      ],
    },
  );
  expect(toPlainText(out).split('\n').slice(-3)).toEqual(['DEAL-3', 'code 0', '']);
});

test('Escape exits with 130 and restores the terminal', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(withExitCode('kith contacts delete --yes'), {
    env,
    reactions: [['Which contact?', '\u001b']],
  });
  expect(toPlainText(out).trimEnd().split('\n').slice(-2)).toEqual(['kith: Interrupted.', 'code 130']);
  expect(seesCursor(out)).toBe(true);
});

/** Starts a service whose second page waits until `respond` is called. */
async function startSlowService(status: number) {
  let respond = () => {};
  const isReleased = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const { url } = await startTestService(({ url }, response) => {
    const data = (start: number) =>
      Array.from({ length: 2 }, (_, index) => ({
        id: `c${start + index}`,
        first_name: `Person ${start + index}`,
      }));
    if (/contacts\/c/.test(url)) return sendJson(response, 200, { id: url.slice(-2) });
    const after = Number(new URL(url, 'http://localhost').searchParams.get('after'));
    const send = () =>
      sendJson(response, after === 0 ? 200 : status, { data: data(after), pagination: { total_count: 4 } });
    if (after === 0) send();
    else void isReleased.then(send);
  });
  const env = createEnv(createTemporaryFolder(), { KITH_BASE_URL: url, KITH_API_KEY: 'k', NO_COLOR: '1' });
  return { env, respond };
}

const paged = 'kith contacts get --page-size 2 --fields id --format tsv --no-header';

test('opens with the first page, and adds the records of later pages that match', async () => {
  const { env, respond } = await startSlowService(200);
  const { out } = await runInTerminal(withExitCode(paged), {
    env,
    reactions: [
      ['○ Person 1', 'person 3'],
      ['No matches found', respond],
      ['● Person 3', '\r'],
    ],
  });
  expect(toPlainText(out).split('\n').slice(-3)).toEqual(['c3', 'code 0', '']);
});

test('a choice does not wait for the page that is being read', async () => {
  const { env } = await startSlowService(200);
  const { out } = await runInTerminal(withExitCode(paged), {
    env,
    reactions: [['○ Person 1', `${down}\r`]],
  });
  expect(toPlainText(out).split('\n').slice(-3)).toEqual(['c1', 'code 0', '']);
});

test('a later page that fails ends the picker with its failure', async () => {
  const { env, respond } = await startSlowService(403);
  const { out } = await runInTerminal(withExitCode(paged), { env, reactions: [['○ Person 1', respond]] });
  expect(toPlainText(out)).toMatch(/\nkith: .*\n(hint: .*\n)?code 4\n$/);
  expect(seesCursor(out)).toBe(true);
});

test('the picker of a write searches for the typed part of a name, and then for other texts', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(withExitCode('kith contacts update ogden --last-name Jones -n'), {
    env,
    columns: 100,
    reactions: [
      ['(3 matches)', '\u007f\u007f\u007f\u007f\u007f'],
      ['...', 'peters'],
      ['(1 match)', '\r'],
    ],
  });
  const [opened = ''] = toPlainText(out).split('└');
  expect(opened).toContain('◆  3 contacts match "ogden". Which one?\n│\n│  Search: ogden█ (3 matches)\n');
  expect(opened).toContain(
    '│  ● Prudence Ogden (prudence@ogden-ales.example, Ogden & Daughters Brewery, zkv6q4)\n',
  );
  expect(toPlainText(out)).toContain('PATCH /v1/contacts/okxzz4\n');
});
