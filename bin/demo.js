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

print('\nWhat is there to do today? Meetings, due deals and action items.');
run('today', '--format', 'table');

print('\nWhat do we know about the barometer? Search all records, notes and meetings.');
run('find', 'barometer', '--format', 'table');

print('\nLog a call, move the deal, and read what the latest meeting decided.');
run('notes', 'add', 'DEAL-73', 'Called, wants an offer', '--format', 'table');
run('deals', 'move', 'DEAL-73', 'Won', '--format', 'table');
run('meetings', 'summary', 'latest');

print('\nWho called? A number in any format finds its contact.');
run('contacts', 'find', '--phone', '010-5550-1234', '--format', 'table');

print('\nHow is the pipeline? A report shows each status with its number of deals and their value.');
run('report', 'Sales pipeline', '--format', 'table');
run('report', 'Sales pipeline', '-o', join(out, 'report.html'));

print('\nWhat did the meetings decide? Export every summary as a Markdown file.');
run('meetings', 'export', '--out', out);

const files = readdirSync(out).filter((name) => name.endsWith('.md'));
print(`
${files.length} meeting summaries are in ${out}/, and the report is ${out}/report.html. Read a summary:

  cat "${join(out, files.find((name) => name.includes('barometer')) ?? files[0])}"

Explore the same workspace:

  node bin/kith.js auth login --local --demo
  node bin/kith.js today
  node bin/kith.js people jiwoo
  node bin/kith.js deals --overdue
  node bin/kith.js --help
`);
