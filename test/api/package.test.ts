import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
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
  expect(createRequire(import.meta.url)('kith/schemas/contacts.json')).toMatchObject({ title: 'Contact' });
  const text = readFileSync(exports['.'].default, 'utf8');
  expect(text).toMatch(/export\{\w+ as Failure,\w+ as createClient\}|export\{Failure,createClient\}/);
  const chunks = readdirSync('dist').filter((name) => name.endsWith('.mjs'));
  for (const chunk of chunks)
    expect(readFileSync(join('dist', chunk), 'utf8')).not.toMatch(/CommanderError|require\("\.\//);
});

/** Prints the result of a lookup with a `fetch` function, and the failure of a request to a closed port. */
const program = `import { createClient } from 'kith';
const options = { baseUrl: 'http://127.0.0.1:1', apiKey: 'key-for-tests', retries: 0 };
const fetch = async (url) => Response.json({ data: [{ id: url, emails: ['ada@bücher.example'] }] });
const lookup = { email: 'Ada@xn--bcher-kva.example' };
print(createClient({ ...options, fetch }).contacts.find(lookup).then(([{ id }]) => id));
print(createClient(options).lists.list().toArray().catch(({ code }) => code));`;

/** Bundles the program with esbuild, and runs it with only the given globals. Returns the printed values. */
function runBundle(bundling: readonly string[], globals: object): Promise<unknown[]> {
  const folder = createProject();
  writeFileSync(join(folder, 'program.mjs'), program);
  const args = [resolve('node_modules/esbuild/bin/esbuild'), 'program.mjs', '--bundle', ...bundling];
  const code = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const printed: unknown[] = [];
  runInNewContext(code, { ...globals, print: (value: unknown) => printed.push(value) });
  return Promise.all(printed);
}

const found = 'http://127.0.0.1:1/v1/contacts?email=Ada%40xn--bcher-kva.example';

test('the client runs in a program that is bundled as CommonJS', async () => {
  const names = Object.getOwnPropertyNames(globalThis) as (keyof typeof globalThis)[];
  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  const require = createRequire(import.meta.url);
  const bundling = ['--format=cjs', '--platform=node'];
  expect(await runBundle(bundling, { ...globals, require, module: {} })).toEqual([found, 'network']);
});

test('with fetch, the client needs no module and no global of Node.js', async () => {
  const abort = { AbortController, AbortSignal };
  const http = { Headers, Response, URL, TextDecoder, TextEncoder };
  const bundling = ['--format=iife', '--platform=browser', '--external:node:*'];
  const printed = runBundle(bundling, { ...abort, ...http, setTimeout, clearTimeout });
  expect(await printed).toEqual([found, undefined]); // an error of the bundle, because node:net does not exist
});
