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

/**
 * conf brings a JSON-schema validator that is not used here, 18 ms of every run that writes settings, and by way of
 * atomically what listens to every signal, so that Node's own ways with them, and ours, no longer hold.
 */
const unused: Plugin = {
  name: 'unused',
  resolveId: (id) => (/^(ajv|ajv-formats|when-exit)($|\/)/.test(id) ? `\0unused:${id}` : null),
  load: (id) =>
    id.startsWith('\0unused:') ? 'export const Ajv2020 = undefined; export default () => {};' : null,
};

export default defineConfig({
  input: { main: 'src/main.ts', worker: 'src/aside/worker.ts' },
  platform: 'node',
  // Loaded from the bundle's own require, so that a machine that needs neither never looks for them.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'node:sqlite'],
  plugins: [unused, data],
  output: { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
});
