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

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  // Loaded from the bundle's own require, so that a machine that needs neither never looks for them.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'node:sqlite'],
  plugins: [data],
  output: { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
});
