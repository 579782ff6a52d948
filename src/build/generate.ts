import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildClientTypes } from './client-types.ts';
import { buildCompletionScripts } from './completions/scripts.ts';
import { buildDocuments } from './documents.ts';
import { buildSchemas } from './schemas.ts';

// `npm run generate` writes the files that follow from the command tree and the contract; --check only compares.
const files = {
  ...(await buildDocuments()),
  ...(await buildCompletionScripts()),
  'src/api/contract.d.ts': buildClientTypes(),
  ...buildSchemas(),
};
for (const [file, text] of Object.entries(files)) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) process.stdout.write(`${file} is fresh.\n`);
  else if (process.argv.includes('--check')) {
    process.stderr.write(`${file} is stale: npm run generate\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${file} is written.\n`);
  }
}
