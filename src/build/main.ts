import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { copyData, writeHelp } from './assets.ts';
import {
  createWidthTablesLate,
  limitJqOutput,
  replaceUnusedModules,
  rewriteForCompileCache,
} from './plugins.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

/** Returns four letters that change with the plugins. */
function hashPlugins(): string {
  const { dirname } = import.meta;
  const texts = readdirSync(dirname)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readFileSync(join(dirname, name)));
  return createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 4);
}

// Builds the program as CommonJS files in dist/.
await build({
  input: { start: 'src/bootstrap.ts', worker: 'src/worker/entry.ts' },
  platform: 'node',
  logLevel: 'warn',
  checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
  // Optional packages, loaded with the bundle's own require.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'node:sqlite'],
  plugins: [
    replaceUnusedModules,
    createWidthTablesLate,
    limitJqOutput,
    rewriteForCompileCache,
    thirdPartyLicenses('THIRD_PARTY_LICENSES'),
    copyData,
    writeHelp,
  ],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    // The compile cache identifies code by file name. The bundler's hash does not include changes by plugins.
    chunkFileNames: `[name]-[hash]${hashPlugins()}.cjs`,
    // Modules that are always loaded together are one file.
    codeSplitting: {
      groups: [
        {
          name: 'compiled',
          test: /src\/(process\/(compile-cache|trusted-folder)|files\/permissions|settings\/paths|contract\/errors)\.ts$/,
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
    // V8 parses a smaller file faster. Names stay, for the stack traces of --debug.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
});
