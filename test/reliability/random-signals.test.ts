import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import type { Tables } from '../../src/service/db/tables.ts';
import { createEnv, createSignedInHome, runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { countRounds, createRandom } from '../support/rounds.ts';
import { endDeadline, retrySlowRun, runWithSignal } from './signals.ts';

interface SignalTrial {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Runs the command again and returns its results. `isForced`: a second signal ended it at once. */
  readonly checkAfterwards?: ((isForced: boolean) => Promise<unknown>) | undefined;
  readonly expected?: unknown;
}

/** Returns the number of records in a table. */
async function countRows(database: string, table: keyof Tables): Promise<number> {
  const db = openDatabase(database);
  const rows = await db.all(sql`select * from ${raw(table)}`);
  db.close();
  return rows.length;
}

const people = 15;

function createImportTrial(): SignalTrial {
  const { env, home, database } = createSignedInHome();
  const csv = join(home, 'people.csv');
  const rows = Array.from({ length: people }, (_, index) => `Ada,Number ${index},ada${index}@new.example\n`);
  writeFileSync(csv, `first_name,last_name,email\n${rows.join('')}`);
  const args = ['contacts', 'import', csv];
  const checkAfterwards = async () => {
    const { code } = await runKith(args, { env });
    return { code, people: await countRows(database, 'contact') };
  };
  return { args, env, checkAfterwards, expected: { code: 0, people: 150 + people } };
}

function createExportTrial(): SignalTrial {
  const { env, home } = createSignedInHome();
  const out = join(home, 'meetings');
  const args = ['events', 'export', '--out', out];
  const listTemporaryFiles = () =>
    readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.kith-tmp'));
  const checkAfterwards = async (isForced: boolean) => {
    const remaining = listTemporaryFiles();
    const { code } = await runKith(args, { env });
    // A forced end may leave a temporary file, which the next run removes.
    const drafts = isForced ? listTemporaryFiles() : remaining;
    return { code, drafts, files: readdirSync(out).filter((name) => name.endsWith('.md')).length };
  };
  return { args, env, checkAfterwards, expected: { code: 0, drafts: [], files: 36 } };
}

function createLoginTrial(): SignalTrial {
  const home = createTemporaryFolder();
  const env = createEnv(home);
  const database = join(home, '.local/share/kith/demo.sqlite');
  const args = ['auth', 'login', '--local', '--demo'];
  const checkAfterwards = async () => {
    const { code } = await runKith(args, { env });
    return { code, people: await countRows(database, 'contact') };
  };
  return { args, env, checkAfterwards, expected: { code: 0, people: 150 } };
}

/** The interrupted commands. */
const trials: readonly (readonly [string, () => SignalTrial])[] = [
  ['contacts import; the next run completes it without duplicates', createImportTrial],
  ['events export; no file is half written and the next run completes it', createExportTrial],
  ['auth login --local --demo; the next run completes the sample', createLoginTrial],
  ['contacts list', () => ({ args: ['contacts', 'list', '--all', '--json'], env: createSignedInHome().env })],
  ['--jq', () => ({ args: ['contacts', 'list', '--all', '--jq', '.[].id'], env: createSignedInHome().env })],
];

test.each(trials)(
  'ends within a second after a signal at any moment, and the next run completes the work: %s',
  async (name, createTrial) => {
    const random = createRandom(name.length);
    for (const _round of countRounds(1, 60)) {
      const signal = random() < 0.5 ? 'SIGINT' : 'SIGTERM';
      const sendAt = Math.floor(random() * 300);
      const repeatOptions = random() < 0.3 ? { sendAgainAt: Math.floor(random() * 10) } : {};
      const { code, milliseconds, err, checkAfterwards, expected } = await retrySlowRun(async () => {
        const { args, env, ...rest } = createTrial();
        return { ...(await runWithSignal(args, { env, signal, sendAt, ...repeatOptions })), ...rest };
      });
      const message = `${signal} after ${sendAt} ms: ${code} ${err}`;
      expect([0, signal === 'SIGINT' ? 130 : 143], message).toContain(code);
      expect(err, message).not.toMatch(/Unexpected|^\s+at /m);
      expect(milliseconds, message).toBeLessThan(endDeadline);
      expect(await checkAfterwards?.('sendAgainAt' in repeatOptions), message).toEqual(expected);
    }
  },
);
