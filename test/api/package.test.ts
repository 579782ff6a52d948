import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { exports } from '../../package.json';
import { serveLocation } from '../service/serve.ts';
import { createKey, runProgram } from '../support/binary.ts';
import { createSampleWorkspace, createTemporaryFolder } from '../support/kith.ts';

const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync('docs/client.md', 'utf8')) ?? [];

/** Creates a project in which the built package is installed. */
function createProject() {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules/kith'));
  symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'));
  return folder;
}

test('the example of the guide has about 15 lines, and runs with the built package', async () => {
  expect(example.split('\n').length).toBeLessThanOrEqual(17);
  const workspace = createSampleWorkspace();
  const apiKey = await createKey(workspace);
  const { url } = await serveLocation(workspace, apiKey);
  const folder = createProject();
  writeFileSync(join(folder, 'example.mjs'), example);
  const env = { PATH: process.env.PATH, KITH_BASE_URL: url, KITH_API_KEY: apiKey };
  expect(await runProgram(process.execPath, ['example.mjs'], { env, cwd: folder })).toEqual({
    code: 0,
    out: 'DEAL-1 Won\nDEAL-2 Won\nDEAL-3 Won\n',
    err: '',
  });
});

test('the types compile in a strict project, and refuse a wrong field', () => {
  const folder = createProject();
  const options = { strict: true, module: 'nodenext', target: 'es2022', noEmit: true, types: ['node'] };
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true, skipLibCheck: false };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  writeFileSync(
    join(folder, 'example.mts'),
    `${example}\n// @ts-expect-error\nawait kith.contacts.create({ name: 'Ada' });\n`,
  );
  const args = [resolve('node_modules/typescript/bin/tsc'), '-p', folder];
  expect(() => execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' })).not.toThrow();
});

test('the package exports the client without the command line', () => {
  expect(Object.keys(exports)).toEqual(['.', './schemas/*.json', './package.json']);
  const text = readFileSync(exports['.'].default, 'utf8');
  expect(text).toMatch(/^export\{.*\}from"\.\/client-create-client-[\w-]+\.mjs"/);
  const chunks = readdirSync('dist').filter((name) => name.endsWith('.mjs'));
  for (const chunk of chunks)
    expect(readFileSync(join('dist', chunk), 'utf8')).not.toMatch(/CommanderError|require\("\.\//);
});
