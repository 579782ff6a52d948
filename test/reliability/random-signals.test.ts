import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/service/db/database.ts';
import type { Tables } from '../../src/service/db/tables.ts';
import { createEnv, createSignedInHome, runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { endDeadline, retrySlowRun, runWithSignal } from './signals.ts';

const times = process.env.KITH_LONG === '1' ? 60 : 2;

/** Returns a generator of numbers from 0 to 1 that are the same in every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const first = Math.imul(state ^ (state >>> 15), 1 | state);
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first;
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Trial {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Runs the command again and returns its results. `isForced`: a second signal ended it at once. */
  readonly afterwards?: ((isForced: boolean) => Promise<unknown>) | undefined;
  readonly expected?: unknown;
}

/** Returns the number of records in a table. */
async function countOf(database: string, table: keyof Tables): Promise<number> {
  const db = openDatabase(database);
  const rows = await db.all(sql`select * from ${raw(table)}`);
  db.close();
  return rows.length;
}

const people = 15;

function importing(): Trial {
  const { env, home, database } = createSignedInHome();
  const sheet = join(home, 'people.csv');
  const rows = Array.from({ length: people }, (_, at) => `Ada,Number ${at},ada${at}@new.example\n`);
  writeFileSync(sheet, `first_name,last_name,email\n${rows.join('')}`);
  const args = ['contacts', 'import', sheet];
  const afterwards = async () => {
    const { code } = await runKith(args, { env });
    return { code, people: await countOf(database, 'contact') };
  };
  return { args, env, afterwards, expected: { code: 0, people: 150 + people } };
}

function exporting(): Trial {
  const { env, home } = createSignedInHome();
  const out = join(home, 'meetings');
  const args = ['events', 'export', '--out', out];
  const draftsIn = () =>
    readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.kith-tmp'));
  const afterwards = async (isForced: boolean) => {
    const left = draftsIn();
    const { code } = await runKith(args, { env });
    // A forced end may leave a temporary file, which the next run removes.
    const drafts = isForced ? draftsIn() : left;
    return { code, drafts, files: readdirSync(out).filter((name) => name.endsWith('.md')).length };
  };
  return { args, env, afterwards, expected: { code: 0, drafts: [], files: 36 } };
}

function signingIn(): Trial {
  const home = createTemporaryFolder();
  const env = createEnv(home);
  const database = join(home, '.local/share/kith/demo.sqlite');
  const args = ['auth', 'login', '--local', '--demo'];
  const afterwards = async () => {
    const { code } = await runKith(args, { env });
    return { code, people: await countOf(database, 'contact') };
  };
  return { args, env, afterwards, expected: { code: 0, people: 150 } };
}

const trials: readonly (readonly [string, () => Trial])[] = [
  ['contacts import; the next run completes it without duplicates', importing],
  ['events export; no file is half written and the next run completes it', exporting],
  ['auth login --local --demo; the next run completes the sample', signingIn],
  ['contacts list', () => ({ args: ['contacts', 'list', '--all', '--json'], env: createSignedInHome().env })],
  ['--jq', () => ({ args: ['contacts', 'list', '--all', '--jq', '.[].id'], env: createSignedInHome().env })],
];

test.each(trials)(
  'ends within a second after a signal at any moment, and the next run completes the work: %s',
  async (name, prepared) => {
    const random = numbers(name.length);
    for (let time = 0; time < times; time++) {
      const signal = random() < 0.5 ? 'SIGINT' : 'SIGTERM';
      const when = Math.floor(random() * 300);
      const again = random() < 0.3 ? { again: Math.floor(random() * 10) } : {};
      const { code, milliseconds, err, afterwards, expected } = await retrySlowRun(async () => {
        const { args, env, ...rest } = prepared();
        return { ...(await runWithSignal(args, { env, signal, sendAt: when, ...again })), ...rest };
      });
      const said = `${signal} after ${when} ms: ${code} ${err}`;
      expect([0, signal === 'SIGINT' ? 130 : 143], said).toContain(code);
      expect(err, said).not.toMatch(/Unexpected|^\s+at /m);
      expect(milliseconds, said).toBeLessThan(endDeadline);
      expect(await afterwards?.('again' in again), said).toEqual(expected);
    }
  },
);
