import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Plugin } from 'rolldown';

/** What the program reads at run time lies beside the code that reads it. */
export const data: Plugin = {
  name: 'data',
  writeBundle() {
    cpSync('src/service/db/migrations', 'dist/migrations', { recursive: true });
    cpSync('src/service/demo/data', 'dist/data', { recursive: true });
    cpSync('node_modules/jq-web/jq.wasm', 'dist/jq.wasm');
    // Node looks for it at each start, and would read the large one above.
    cpSync('bin/package.json', 'dist/package.json');
  },
};

/** The help of the program and of each noun as it says it, kept for the next time: to lay it out takes as long as Node's own start. */
export const help: Plugin = {
  name: 'help',
  async writeBundle() {
    mkdirSync('dist/help');
    const whole = await said([]);
    writeFileSync('dist/help.txt', whole);
    const nouns = Array.from(whole.matchAll(/^ {2}([a-z][a-z-]*)(?:,| {2})/gm), ([, noun = '']) => noun);
    await Promise.all(nouns.map(async (noun) => writeFileSync(`dist/help/${noun}.txt`, await said([noun]))));
  },
};

async function said(words: readonly string[]): Promise<string> {
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/kith.js', ...words, '--help'], {
    env,
  });
  return stdout;
}
