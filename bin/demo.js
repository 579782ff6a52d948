#!/usr/bin/env node
// Runs commands of the built program on the sample workspace, and shows them with their output.
const { spawnSync } = require('node:child_process');
const { mkdirSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const kith = join(__dirname, 'kith.js');
const out = 'kith-demo';
// The demo has its own settings, so your active profile does not change.
const env = { ...process.env, KITH_CONFIG_DIR: join(out, '.kith'), KITH_PROFILE: 'demo' };
for (const name of ['KITH_BASE_URL', 'KITH_API_KEY', 'KITH_DEBUG']) delete env[name];

const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\x1b[1m${text}\x1b[0m` : text);
const print = (text) => process.stdout.write(`${text}\n`);

/** Prints and runs a command. Ends the demo if it fails. */
function run(...args) {
  const line = args.map((word) => (/^[\w./@+:-]+$/.test(word) ? word : `"${word}"`)).join(' ');
  print(bold(`\n$ kith ${line}`));
  const { status, error } = spawnSync(process.execPath, [kith, ...args], { env, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`demo: "kith ${line}" failed with ${status ?? error}.\n`);
    process.exit(1);
  }
}

mkdirSync(out, { recursive: true });
print('A sample workspace in one file: a company that monitors cold rooms.');
run('auth', 'login', '--local', '--demo');

print('\nWho called? A number in any format finds its contact.');
run('contacts', 'find', '--phone', '010-5550-1234', '--format', 'table');

print('\nHow is the pipeline? A report shows each status with its number of deals and their value.');
run('lists', 'report', 'Sales pipeline', '--format', 'table');

print('\nWhat did the meetings decide? Export every summary as a Markdown file.');
run('meetings', 'export', '--out', out);

const files = readdirSync(out).filter((name) => name.endsWith('.md'));
print(`
${files.length} meeting summaries are in ${out}/. Read one:

  cat "${join(out, files.find((name) => name.includes('barometer')) ?? files[0])}"

Explore the same workspace:

  node bin/kith.js auth login --local --demo
  node bin/kith.js meetings list
  node bin/kith.js contacts show 김지우
  node bin/kith.js search barometer
  node bin/kith.js --help
`);
