import { cpSync, rmSync } from 'node:fs';
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

/** conf brings a JSON-schema validator for a feature that is not used here: 18 ms of every start. */
const noSchemas: Plugin = {
  name: 'no-schemas',
  resolveId: (id) => (/^ajv(-formats)?($|\/)/.test(id) ? `\0none:${id}` : null),
  load: (id) =>
    id.startsWith('\0none:') ? 'export const Ajv2020 = undefined; export default undefined;' : null,
};

export default defineConfig({
  input: { main: 'src/main.ts', worker: 'src/aside/worker.ts' },
  platform: 'node',
  // Loaded from the bundle's own require, so that a machine whose Node has SQLite never looks for it.
  external: ['@photostructure/sqlite', 'node:sqlite'],
  plugins: [noSchemas, data],
  output: { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
});
