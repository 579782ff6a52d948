import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
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

/** The program's own help as it says it, kept for the next time: to lay it out takes as long as Node's own start. */
const help: Plugin = {
  name: 'help',
  closeBundle() {
    writeFileSync('dist/help.txt', execFileSync(process.execPath, ['bin/kith.js', '--help']));
  },
};

/** conf brings validation by JSON schema, and migrations by version, for features that are not used here. */
const unused: Plugin = {
  name: 'unused',
  resolveId: (id) => (/^(ajv|ajv-formats|semver)($|\/)/.test(id) ? `\0none:${id}` : null),
  load: (id) =>
    id.startsWith('\0none:') ? 'export const Ajv2020 = undefined; export default undefined;' : null,
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

export default defineConfig({
  input: { start: 'src/start.ts' },
  platform: 'node',
  // The entry holds what all chunks share, so that it is no further file.
  preserveEntrySignatures: 'allow-extension',
  // Loaded from the bundle's own require, so that a machine whose Node has SQLite never looks for it.
  external: ['@photostructure/sqlite', 'node:sqlite'],
  plugins: [unused, late, data, help],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    // V8 reads every character before the first line runs. Names stay, for the traces of --debug.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
});
