#!/usr/bin/env node
// The main job on the sample workspace: real commands of the built binary, shown as they run.
const { spawnSync } = require('node:child_process');
const { mkdirSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const kith = join(__dirname, 'kith.js');
const out = 'kith-demo';
// The demo keeps its settings to itself: a profile of your own stays the one in use.
const env = { ...process.env, KITH_CONFIG_DIR: join(out, '.kith'), KITH_PROFILE: 'demo' };
for (const name of ['KITH_BASE_URL', 'KITH_API_KEY', 'KITH_DEBUG']) delete env[name];

const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\x1b[1m${text}\x1b[0m` : text);
const say = (text) => process.stdout.write(`${text}\n`);

/** Runs one command as a person would type it; ends the demo where it fails. */
function run(...args) {
  const typed = args.map((word) => (/^[\w./@+:-]+$/.test(word) ? word : `"${word}"`)).join(' ');
  say(bold(`\n$ kith ${typed}`));
  const { status, error } = spawnSync(process.execPath, [kith, ...args], { env, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`demo: "kith ${typed}" ended with ${status ?? error}.\n`);
    process.exit(1);
  }
}

mkdirSync(out, { recursive: true });
say('A workspace in one file, filled with the sample: people who keep things cold.');
run('auth', 'login', '--local', '--demo');

say('\nWho called? A number in any format finds its contact.');
run('contacts', 'find', '--phone', '010-5550-1234', '--format', 'table');

say('\nHow is the pipeline? A process as a report: its statuses, and what they are worth.');
run('lists', 'report', 'Sales pipeline', '--format', 'table');

say('\nWhat was said? Every meeting summary, as a Markdown file.');
run('events', 'export', '--out', out);

const files = readdirSync(out).filter((name) => name.endsWith('.md'));
say(`
${files.length} meeting summaries are in ${out}/. Read one:

  cat "${join(out, files.find((name) => name.includes('barometer')) ?? files[0])}"

The same workspace is yours to look around in:

  node bin/kith.js auth login --local --demo
  node bin/kith.js events list
  node bin/kith.js recordings transcript RECORDING --timestamps
  node bin/kith.js --help
`);
