import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { sanitizeLine } from '../../src/render/text/sanitize.ts';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createSignedInHome, runShell } from '../support/binary.ts';
import { createMachine, splitWords, writeStoredSettings } from '../support/kith.ts';
import { ctrlC, runInTerminal } from '../support/terminal.ts';
import { createHostileRecord, hostileList, hostileText, startHostileService } from './hostile.ts';

/**
 * The commands that print a text of a service, a file or the command line to a terminal through the program itself: its
 * start and end, its worker thread, its spinner and its prompts.
 */
const commands = {
  'the table of a list': 'contacts list',
  'the output of --jq': "contacts list --jq '.[].first_name'",
  'hits of grep': 'events grep needle',
  'an error of the service': 'contacts get bad',
  'an error with field errors and --debug': 'contacts get bad --debug',
  'a question': 'contacts delete r1',
  'a question about entries': 'entries delete r1 r1',
  'an export': 'events export --out meetings',
  'the status of an export': 'events export status meetings',
  'an import': 'contacts import people.csv',
  'the plan of an import': 'contacts import people.csv --dry-run',
  'a wrong flag': 'contacts list "--$HOSTILE"',
} as const;

/** The other commands, whose output is the same in this process. */
const printers = {
  'the details of a record': 'contacts get r1',
  '--json': 'contacts list --json',
  'an error of --jq': "contacts list --jq '.[0].first_name|error'",
  'another table': 'lists list',
  organizations: 'organizations list',
  notes: 'notes get r1',
  'custom fields': 'custom-fields list',
  entries: 'entries list r1 --format csv',
  meetings: 'events list',
  '--json of a record': 'contacts get r1 --json',
  '--fields': 'contacts list --fields first_name,custom_fields',
  NDJSON: 'contacts list --format ndjson',
  CSV: 'contacts list --format csv',
  TSV: 'contacts list --format tsv',
  'a summary': 'recordings summary r1',
  'a transcript': 'recordings transcript r1 --timestamps',
  'a report with its chart': 'lists report r1 --format table',
  'a contact with notes and meetings': 'contacts show r1',
  'an entry with its contact': 'entries show r1 r1',
  'search results': 'search owned',
  'search results as TSV': 'search owned --format tsv',
  'an error as JSON': 'contacts get bad --json',
  api: 'api /v1/contacts',
  'an api request that fails': 'api /v1/contacts/bad',
  'a write that fails': 'notes create --organization r1 --body x',
  'a wrong value of a flag': 'contacts list --limit "$HOSTILE"',
  'a wrong command': '"$HOSTILE"',
  'a wrong jq expression': 'contacts list --jq "$HOSTILE"',
  'the name of a file': 'contacts import "$HOSTILE.csv"',
  'the names of profiles': 'auth list',
  'the name of an unknown profile': 'contacts list --profile "$HOSTILE"',
} as const;

let outputs: Promise<ReadonlyMap<string, string>> | undefined;

/** The hostile text without what a command line cannot contain: NUL and unpaired surrogates. */
const printableText = hostileText.replaceAll('\u0000', '').replaceAll('\ud83d', '');

/** Creates a machine with the hostile service, a hostile profile name and hostile columns of a file. */
async function createHostileMachine() {
  const { env, home } = createSignedInHome();
  const service = await startHostileService();
  const cell = `"${hostileText.replaceAll('\ud83d', '')}"`;
  writeFileSync(join(home, 'people.csv'), `first_name,email,${cell}\nAda,${cell},x\n,${cell},y\n`);
  writeStoredSettings(join(home, '.config/kith'), {
    profiles: { [cell.slice(1, -1)]: { base_url: service.url, api_key: 'sk_test_9876543210' } },
  });
  return { home, env: { ...env, ...service.env, HOSTILE: printableText } };
}

/** Returns what each command shows in a real terminal. */
async function readOutputs(): Promise<ReadonlyMap<string, string>> {
  const { env, home: cwd } = await createHostileMachine();
  const all = Object.entries(commands);
  const middle = all.findIndex(([name]) => name === 'an error of the service');
  const parts = [all.slice(0, middle), all.slice(middle)].map(async (runGroup) => {
    const script = runGroup.map(([, line]) => `kith ${line}; echo "=====$?"`).join('\n');
    const { out } = await runInTerminal(script, {
      env,
      cwd,
      columns: 90,
      reactions: [
        ['Delete contact', ctrlC],
        ['Delete entry', ctrlC],
      ],
    });
    const texts = out.split(/=====\d+\r\n/);
    return runGroup.map(([name], index) => [name, texts[index] ?? ''] as const);
  });
  return new Map((await Promise.all(parts)).flat());
}

/** The escape sequences of colors and prompts. */
const ownSequences = new RegExp(
  `${String.fromCharCode(27)}\\[(?:[\\d;]{0,8}m|\\?(?:25|2026)[lh]|999D|\\d?[ABCDGJK])`,
  'g',
);

function expectSeenAndDead(text: string): void {
  expect(text).toMatch(/\\x1b|\\u001b/); // the sequence is printed, but escaped
  expect(text.replace(ownSequences, '').replaceAll('\r\n', '\n')).not.toMatch(
    /[^\P{Cc}\n\t]|[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\u{e0041}]/u,
  );
  expect(text).not.toContain('\u001b[2J');
}

test.each(Object.keys(commands))(
  'shows escape sequences from a service as text, in a real terminal: %s',
  async (name) => {
    outputs ??= readOutputs();
    expectSeenAndDead((await outputs).get(name) ?? '');
  },
);

test.each(Object.entries(printers))(
  'shows escape sequences from a service as text, so that they do nothing: %s',
  async (_, line) => {
    const { env, home } = await createHostileMachine();
    const { KITH_BASE_URL = '', KITH_API_KEY = '' } = env;
    const kith = createMachine(join(home, '.config/kith'));
    const { out, err } = await kith(
      splitWords(line).map((word) => word.replace('$HOSTILE', () => printableText)),
      { env: { KITH_BASE_URL, KITH_API_KEY }, terminal: 90 },
    );
    expectSeenAndDead(out + err);
  },
);

test.each([
  'contacts list',
  'contacts get r1',
  'contacts list --fields first_name,custom_fields',
  'entries list r1 --wide',
  'notes get r1',
  'events list',
  'lists report r1',
  'events grep needle',
  'search owned',
])('escapes control characters in a table that is written to a pipe: %s', async (line) => {
  const { env } = await startHostileService();
  for (const FORCE_COLOR of ['0', '1'])
    expectSeenAndDead(
      (await createMachine()(`${line} --format table`, { env: { ...env, FORCE_COLOR } })).out,
    );
});

test('offers no names with escape sequences as completions', async () => {
  const { env, home } = createSignedInHome((await startHostileService()).env);
  const profile = { base_url: 'https://crm.example', api_key: 'sk_test_9876543210' };
  writeStoredSettings(join(home, '.config/kith'), {
    profiles: { [hostileText]: profile, '-x': profile, work: profile },
  });
  const { out } = await runShell('kith lists list >/dev/null; kith complete lists; kith complete profiles', {
    env,
  });
  expect(out).toBe(`r1\t${sanitizeLine(hostileText)}\nwork\n`);
});

const recordJson = JSON.stringify(createHostileRecord('r1'));
const storedText = hostileText.replace('\ud83d', '\ufffd');
/** In a transcript white space is a space: a line is a turn. */
const transcriptText = storedText.replace(/[\r\u2028]/g, ' ');

test.each<[string, string, (out: string) => unknown, unknown]>([
  ['NDJSON', 'contacts list --format ndjson', (out) => out, `${recordJson}\n`],
  ['--json', 'contacts get r1 --json', (out) => out.replace(/\n */g, '').replaceAll('": ', '":'), recordJson],
  ['the output of --jq', "contacts list --jq '.[].first_name'", (out) => out, `${storedText}\n`],
  ['a summary', 'recordings summary r1', (out) => out.includes(`# ${storedText}\n\n- ${storedText}\n`), true],
  ['TSV', 'contacts list --fields title', (out) => out, `title\n${parseTsv(storedText)}\n`],
])(
  'writes the characters of the service unchanged if stdout is no terminal: %s',
  async (_, line, read, expected) => {
    const { env } = await startHostileService();
    const { code, out } = await createMachine()(line, { env });
    expect({ code, out: read(Buffer.from(out).toString()) }).toEqual({ code: 0, out: expected });
  },
);

test('writes the bytes of the service unchanged to a pipe: api and a transcript', async () => {
  const { env } = createSignedInHome((await startHostileService()).env);
  const { code, out } = await runShell('kith api /v1/contacts && kith recordings transcript r1', { env });
  expect({ code, out }).toEqual({
    code: 0,
    out: `${hostileList}${transcriptText}: ${transcriptText} needle\n`,
  });
});

/** The escapes of TSV, which has no others. */
function parseTsv(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
}

const cueBreaker = '-->\n\n00:00:09.000 --> 00:00:10.000\n<b>Boo</b> & {\\an8} \r\n---\nid: other';
const formulaText = "=cmd|' /C calc'!A0";

/** Starts a service whose meeting and contact contain file syntax. */
async function createHostileExport() {
  const title = `../../.ssh/authorized_keys ${hostileText}`;
  const start_timestamp = { relative: 1 };
  const end_timestamp = { relative: 2 };
  const meeting = {
    ...createHostileRecord('r1'),
    title,
    end_at: cueBreaker,
    summary: { summary: 'Agreed.' },
    recordings: [{ id: 'r1', status: 'done' }],
    transcript: [
      { participant: { name: cueBreaker }, words: [{ text: cueBreaker, start_timestamp, end_timestamp }] },
    ],
  };
  const contact = {
    ...createHostileRecord('c1'),
    first_name: formulaText,
    last_name: `a"b,\r\n${hostileText}`,
  };
  const { env } = await startTestService(({ url }, response) => {
    const list = url.includes('/contacts') ? [contact] : [meeting];
    const data = url.includes('/recordings/') ? meeting : list;
    sendJson(response, 200, { data, pagination: { has_next_page: false } });
  });
  const { home } = createSignedInHome();
  const kith = createMachine(join(home, '.config/kith'));
  return { run: (line: string) => kith(line, { env }), folder: home, title };
}

async function exportHostile() {
  const { run, folder, title } = await createHostileExport();
  const kinds = ['json', 'vtt', 'srt', 'txt'].map((kind) => `--with ${kind}`).join(' ');
  const { code, err } = await run(`events export --out "${join(folder, 'meetings')}" ${kinds}`);
  const names = readdirSync(join(folder, 'meetings')).sort();
  const readByExtension = (extension: string) => {
    const name = names.find((one) => one.endsWith(`.${extension}`)) ?? '';
    return readFileSync(join(folder, 'meetings', name), 'utf8');
  };
  return { code, err, names, title, readFile: readByExtension, siblings: readdirSync(folder).sort() };
}

test('writes files with plain names into the output folder if titles are paths or have control characters', async () => {
  const { code, err, names, siblings } = await exportHostile();
  expect({ code, err, siblings }).toEqual({
    code: 0,
    err: '',
    siblings: ['.config', 'demo.sqlite', 'meetings'],
  });
  const meetings = names.filter((name) => name !== '.kith-export.jsonl');
  expect(meetings.map((name) => name.split('.').at(-1))).toEqual(['json', 'md', 'srt', 'txt', 'vtt']);
  for (const name of meetings) expect(name).toMatch(/^2026-05-01-ssh-authorized-keys-[a-z\d-]+-r1\.[a-z]+$/);
});

test('writes front matter that parses as the values sent, even if they contain YAML', async () => {
  const { readFile, title } = await exportHostile();
  const [, matter = ''] = readFile('md').split(/^---$/m);
  const read = parseYaml(matter);
  expect(Object.keys(read)).toEqual(expect.arrayContaining(['id', 'title', 'date', 'end', 'recordings']));
  expect([read.id, read.end]).toEqual(['r1', cueBreaker]);
  expect(read.title).toBe(title);
  expect(matter).not.toMatch(/[^\P{Cc}\n]/u);
});

test('escapes subtitles that contain cue lines or markup', async () => {
  const { readFile } = await exportHostile();
  const cues = [...readFile('vtt').trim().split('\n\n').slice(1), ...readFile('srt').trim().split('\n\n')];
  for (const cue of cues)
    expect(cue).toMatch(/^(\d+\n)?[\d:.,]+ --> [\d:.,]+\n((?!-->)[^\n])+(\n((?!-->)[^\n])+)?$/);
  expect(readFile('vtt')).toContain('&lt;b&gt;Boo&lt;/b&gt; &amp;');
  expect(readFile('srt')).not.toMatch(/<\w|\{\\/);
});

test('writes CSV according to RFC 4180, with an apostrophe before cells that a spreadsheet would run as formulas', async () => {
  const { run } = await createHostileExport();
  const { out } = await run('contacts list --format csv --fields first_name,last_name');
  expect(parseCsv(Buffer.from(out))).toEqual([
    ['first_name', 'last_name'],
    [`'${formulaText}`, `a"b,\r\n${hostileText.replace('\ud83d', '\ufffd')}`],
  ]);
});
