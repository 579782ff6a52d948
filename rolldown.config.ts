import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/** What the program reads at run time lies beside the code that reads it. */
const data: Plugin = {
  name: 'data',
  buildStart() {
    rmSync('dist', { recursive: true, force: true });
  },
  writeBundle() {
    cpSync('src/service/migrations', 'dist/migrations', { recursive: true });
    cpSync('src/service/demo/data', 'dist/data', { recursive: true });
    cpSync('node_modules/jq-web/jq.wasm', 'dist/jq.wasm');
  },
};

/** The help of the program and of each noun as it says it, kept for the next time: to lay it out takes as long as Node's own start. */
const help: Plugin = {
  name: 'help',
  writeBundle() {
    const said = (...words: string[]) =>
      execFileSync(process.execPath, ['bin/kith.js', ...words, '--help'], { encoding: 'utf8' });
    const whole = said();
    const kept = [['help', whole]];
    for (const [, noun = ''] of whole.matchAll(/^ {2}([a-z][a-z-]*)(?:,| {2})/gm))
      kept.push([`help/${noun}`, said(noun)]);
    mkdirSync('dist/help');
    for (const [name, text = ''] of kept) writeFileSync(`dist/${name}.txt`, text);
  },
};

/**
 * Libraries bring parts for features that are not used here: conf a JSON-schema validator and migrations by version,
 * Kysely builders of schemas and of merges, undici HTTP/2 and bodies of forms. With them a start takes half as long
 * again. And when-exit, of conf's atomically, listens to every signal, so that Node's own ways with them, and ours,
 * would no longer hold. Path -> what it exports.
 */
const needless: Readonly<Record<string, string>> = {
  'ajv/dist/2020.js': 'Ajv2020',
  'ajv-formats': 'default',
  semver: 'default',
  'when-exit': 'default',
  './schema/schema.js': 'SchemaModule',
  './query-builder/merge-query-builder.js': 'MergeQueryBuilder',
  './client-h2.js': 'default',
  '../web/fetch/body.js': 'extractBody',
};
const unused: Plugin = {
  name: 'unused',
  resolveId: (id, importer = '') =>
    Object.hasOwn(needless, id) && /node_modules\/(conf|atomically|kysely|undici)\//.test(importer)
      ? `\0none:${id}`
      : null,
  load: (id) =>
    id.startsWith('\0none:') ? `const none = () => {}; export { none as ${needless[id.slice(6)]} };` : null,
};

/** Parts of Node that conf and Commander ask for at once and hardly ever use: loaded on first use, 2 ms each. */
const late: Plugin = {
  name: 'late',
  resolveId: (id, importer = '') =>
    /^node:(crypto|child_process|assert)$/.test(id) && /node_modules\/(conf|commander)\//.test(importer)
      ? `\0late:${id}`
      : null,
  load: (id) =>
    id.startsWith('\0late:')
      ? `module.exports = new Proxy({}, { get: (_, name) => require('${id.slice(6)}')[name] });`
      : null,
};

/** What string-width makes when it is loaded, Node's tables of letters and emoji, takes 17 ms: made on first use. */
const lateWidths: Plugin = {
  name: 'late-widths',
  transform(code, id) {
    if (id !== resolve('node_modules/string-width/index.js')) return null;
    let found = 0;
    const late = code.replace(
      /^const (\w+) = (new Intl\.Segmenter\(\)|\/\^\\p\{RGI_Emoji\}\$\/v);/gm,
      (_, name, made) => {
        found += 1;
        const verb = made.startsWith('new') ? 'segment' : 'test';
        const maker = verb === 'test' ? `new RegExp(${JSON.stringify(made.slice(1, -2))}, 'v')` : made;
        return `let ${name}Made; const ${name} = { ${verb}: (text) => (${name}Made ??= ${maker}).${verb}(text) };`;
      },
    );
    if (found !== 2) this.error('string-width is not what it was: see late-widths.');
    return late;
  },
};

/**
 * What V8 reads fastest: one byte to a character, and modules of CommonJS as functions that look called at once,
 * which it does not read twice. Two milliseconds of a command.
 */
const quickToRead: Plugin = {
  name: 'quick-to-read',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code
        // Loaded by the entry, which needs nothing of it.
        .replace(/,require\("\.\/rolldown-runtime[^"]*"\);/, ';')
        .replace(/\(\(\(?(exports(?:,module)?)\)?=>\{/g, '((function($1){')
        .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    }
  },
};

export default defineConfig({
  input: { start: 'src/start.ts', worker: 'src/aside/worker.ts' },
  platform: 'node',
  // The entry holds what all chunks share, so that it is no further file.
  preserveEntrySignatures: 'allow-extension',
  // Loaded from the bundle's own require, so that a machine that needs neither never looks for them.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'node:sqlite'],
  plugins: [unused, late, lateWidths, quickToRead, data, help],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    // The hash tells what was kept compiled of another text.
    chunkFileNames: '[name]-[hash].cjs',
    // What is always loaded together is one file: each further one costs a tenth of a millisecond.
    codeSplitting: {
      groups: [
        { name: 'compiled', test: /src\/(compiled|settings\/places)\.ts$/, priority: 4 },
        {
          name: 'program',
          test: /src\/(main|client\/client|settings\/settings|cli\/(run|print|body|writing|resolve|field-values|import-options|rules|listing))\.ts$/,
          priority: 3,
        },
        { name: 'service', test: /src\/service\/workspace\.ts$/, priority: 1 },
      ],
    },
    // V8 reads every character before the first line runs. Names stay, for the traces of --debug.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
});
