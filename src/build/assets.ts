import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Plugin } from 'rolldown';

/** Copies the files that the program reads at run time. */
export const copyData: Plugin = {
  name: 'copy-data',
  writeBundle() {
    cpSync('src/service/db/migrations', 'dist/migrations', { recursive: true });
    cpSync('src/service/demo/data', 'dist/data', { recursive: true });
    cpSync('node_modules/jq-web/jq.wasm', 'dist/jq.wasm');
    // Node reads the nearest package.json at each start. This one is small.
    cpSync('bin/package.json', 'dist/package.json');
  },
};

/** Writes the help of the program and of each noun, which then starts as fast as Node itself. */
export const writeHelp: Plugin = {
  name: 'write-help',
  async writeBundle() {
    mkdirSync('dist/help');
    const help = await printHelp([]);
    writeFileSync('dist/help.txt', help);
    const nouns = Array.from(help.matchAll(/^ {2}([a-z][a-z-]*)(?:,| {2})/gm), ([, noun = '']) => noun);
    await Promise.all(
      nouns.map(async (noun) => writeFileSync(`dist/help/${noun}.txt`, await printHelp([noun]))),
    );
  },
};

async function printHelp(words: readonly string[]): Promise<string> {
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/kith.js', ...words, '--help'], {
    env,
  });
  return stdout;
}
