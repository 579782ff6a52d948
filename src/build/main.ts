import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { data, help } from './copied-files.ts';
import { boundedJq } from './jq-output.ts';
import { withoutNeedless, withoutStandardSchema } from './needless.ts';
import { lateParts, lateWidths } from './on-first-use.ts';
import { quickToRead } from './quick-to-read.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

/** What these plugins are: four letters. */
function hashOfPlugins(): string {
  const { dirname } = import.meta;
  const texts = readdirSync(dirname)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readFileSync(join(dirname, name)));
  return createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 4);
}

/** The program as files of CommonJS in dist/, by Rolldown's own call: its command line tells of every file. */
await build({
  input: { start: 'src/bootstrap.ts', worker: 'src/worker/entry.ts' },
  platform: 'node',
  logLevel: 'warn',
  // To run the program for its help takes most of a build.
  checks: { bundlerTimings: false },
  // Loaded from the bundle's own require, so that a machine that needs neither never looks for them.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'node:sqlite'],
  plugins: [
    withoutNeedless,
    withoutStandardSchema,
    lateParts,
    lateWidths,
    boundedJq,
    quickToRead,
    thirdPartyLicenses('THIRD_PARTY_LICENSES'),
    data,
    help,
  ],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    // It tells what was kept compiled of another text. The hash is of the text before the plugins change it.
    chunkFileNames: `[name]-[hash]${hashOfPlugins()}.cjs`,
    // What is always loaded together is one file: each further one costs a tenth of a millisecond.
    codeSplitting: {
      groups: [
        {
          name: 'compiled',
          test: /src\/(process\/(compile-cache|trusted-folder)|files\/make-folder|settings\/places)\.ts$/,
          priority: 4,
        },
        {
          name: 'program',
          test: /src\/(main|client\/client|settings\/settings|cli\/(run|writing|listing|print\/print|connect\/resolve|flags\/(body|field-(values|changes)|import-options|rules)))\.ts$/,
          priority: 3,
        },
        { name: 'service', test: /src\/service\/workspace\.ts$/, priority: 1 },
      ],
    },
    // V8 reads every character before the first line runs. Names stay, for the traces of --debug.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
});
