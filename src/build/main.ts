import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { type BuildOptions, build } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { version } from '../../package.json';
import { commandTree } from '../commands/tree.ts';
import { readSample } from '../service/demo/sample.ts';
import { buildCommandPages, buildGuidePages } from './man.ts';
import {
  createWidthTablesLate,
  limitJqOutput,
  replaceUnusedModules,
  rewriteForCompileCache,
  separateCompletion,
} from './plugins.ts';
import { createLicensePlugin } from './third-party-licenses.ts';

/** Returns four letters that change with the plugins. */
function hashPlugins(): string {
  const { dirname } = import.meta;
  const texts = readdirSync(dirname)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readFileSync(join(dirname, name)));
  return createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 4);
}

/** Returns the commit of the checkout; undefined outside of one, as in the build of the image. */
async function readCommit(): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('git', ['rev-parse', '--short=12', 'HEAD'])).stdout.trim();
  } catch {
    return undefined;
  }
}

const common = {
  platform: 'node',
  logLevel: 'warn',
  checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
  // Optional packages, loaded with the bundle's own require.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'node:sqlite'],
} satisfies BuildOptions;

// V8 parses a smaller file faster. Names stay, for the stack traces of --debug.
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const;

// Builds the program as CommonJS files in dist/.
await build({
  ...common,
  input: { start: 'src/bootstrap.ts', worker: 'src/process/worker/entry.ts' },
  transform: { define: { buildCommit: String(JSON.stringify(await readCommit())) } },
  plugins: [
    separateCompletion,
    replaceUnusedModules,
    createWidthTablesLate,
    limitJqOutput,
    rewriteForCompileCache,
    createLicensePlugin('THIRD_PARTY_LICENSES'),
  ],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    // The compile cache identifies code by file name. The bundler's hash does not include changes by plugins.
    chunkFileNames: `[name]-[hash]${hashPlugins()}.cjs`,
    // Modules that are always loaded together are one file: each file takes half a millisecond.
    codeSplitting: {
      groups: [
        {
          name: 'compiled',
          test: /src\/(process\/compile-cache|files\/(permissions|trusted-folder)|settings\/paths|contract\/errors)\.ts$/,
          priority: 4,
        },
        {
          name: 'program',
          test: /src\/(main|client\/client|contract\/calendar-events|settings\/settings|cli\/(run|writes\/writing|print\/print|command\/rules|flags\/(body|field-(options|values)))|commands\/(bulk\/show-many|records\/(match-fields|record-commands)|duplicates\/duplicates|import\/(import|options)|show\/show))\.ts$/,
          priority: 3,
        },
        {
          name: 'http',
          test: /src\/client\/transport\.ts$|undici\/lib\/dispatcher\/agent\.js$/,
          priority: 2,
        },
        {
          name: 'table',
          test: /src\/cli\/print\/format-table\.ts$|src\/render\/table\.ts$/,
          priority: 2,
        },
        {
          name: 'names',
          test: /src\/cli\/references\/(name-loader|reference-kinds)\.ts$/,
          priority: 2,
        },
        { name: 'service', test: /src\/service\/workspace\.ts$/, priority: 1 },
      ],
    },
    minify,
  },
});

// One file without modules of the program, so that it starts almost as fast as Node itself.
await build({
  ...common,
  input: { complete: 'src/completion/complete.ts' },
  output: { dir: 'dist', cleanDir: false, format: 'cjs', entryFileNames: '[name].cjs', minify },
});

// The typed client for programs: ES modules without the command line, and their types. They do not use
// import.meta.url, which is undefined in a program that is bundled as CommonJS. They import no module of Node only for
// its side effects, because other runtimes do not have these modules.
await build({
  ...common,
  input: { client: 'src/api/create-client.ts' },
  treeshake: { moduleSideEffects: 'no-external' },
  plugins: [replaceUnusedModules, esmExternalRequirePlugin({ external: [/^node:(?!assert$|http$)/] })],
  output: {
    dir: 'dist',
    cleanDir: false,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'client-[name]-[hash].mjs',
    minify,
  },
});
for (const name of ['types', 'contract']) {
  const text = readFileSync(`src/api/${name}.d.ts`, 'utf8');
  writeFileSync(`dist/${name}.d.mts`, text.replaceAll(".d.ts'", ".d.mts'"));
}

// The files that the program reads at run time.
cpSync('src/service/db/migrations', 'dist/migrations', { recursive: true });
// Brotli saves 20 KB of the package, which is compressed with gzip.
writeFileSync('dist/sample.json.br', brotliCompressSync(JSON.stringify(await readSample())));
cpSync('node_modules/jq-web/jq.wasm', 'dist/jq.wasm');
// Node reads the nearest package.json at each start. This one is small.
cpSync('bin/package.json', 'dist/package.json');
await writeHelp();
await writeManual();

/** Writes the help of the program and of each noun, which then starts as fast as Node itself. */
async function writeHelp(): Promise<void> {
  mkdirSync('dist/help');
  writeFileSync('dist/help.txt', await printHelp([]));
  await Promise.all(
    commandTree.map(async ({ name }) => writeFileSync(`dist/help/${name}.txt`, await printHelp([name]))),
  );
}

async function printHelp(words: readonly string[]): Promise<string> {
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const args = ['bin/kith.js', ...words, '--help'];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

/** Writes the manual. Its date is that of the version. */
async function writeManual(): Promise<void> {
  const changes = readFileSync('CHANGELOG.md', 'utf8');
  const [, date] = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\((\\S+)\\)$`, 'm').exec(changes) ?? [];
  if (date === undefined) throw new Error(`CHANGELOG.md has no line "## ${version} (YYYY-MM-DD)".`);
  mkdirSync('dist/man');
  const readGuide = (name: string) => readFileSync(join('docs', `${name}.md`), 'utf8');
  const pages = { ...buildGuidePages(date, readGuide), ...(await buildCommandPages(date)) };
  for (const [file, text] of Object.entries(pages)) writeFileSync(join('dist/man', file), text);
}
