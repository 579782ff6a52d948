import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signedIn } from '../binary.ts';
import { ctrlC, inTerminal } from '../terminal.ts';
import { hostile, hostileService } from './hostile.ts';

/** Every place in which a text of a service, a file or the command line reaches a terminal. */
const lines = {
  'the table of a list': 'contacts list',
  'the details of a record': 'contacts get r1',
  'another table': 'lists list',
  organizations: 'organizations list',
  notes: 'notes list',
  'custom fields': 'custom-fields list contact',
  entries: 'entries list r1',
  meetings: 'events list',
  '--json': 'contacts list --json',
  '--json of a record': 'contacts get r1 --json',
  '--fields': 'contacts list --fields first_name,custom_fields',
  NDJSON: 'contacts list --format ndjson',
  CSV: 'contacts list --format csv',
  TSV: 'contacts list --format tsv',
  '--jq': "contacts list --jq '.[].first_name'",
  'what jq complains of': "contacts list --jq '.[0].first_name|error'",
  'a summary': 'recordings summary r1',
  'a transcript': 'recordings transcript r1 --timestamps',
  subtitles: 'recordings transcript r1 --format vtt',
  'a report with its chart': 'lists report r1 --format table',
  'hits of grep': 'events grep needle',
  'an error of the service': 'contacts get bad',
  'an error with its faults and --debug': 'contacts get bad --debug',
  'an error as JSON': 'contacts get bad --json',
  api: 'api /v1/contacts',
  'api that fails': 'api /v1/contacts/bad',
  'a write that fails': 'notes create --organization r1 --body x',
  'a dry run': 'contacts delete r1 --dry-run',
  'a question': 'contacts delete r1',
  'an export': 'events export --out meetings',
  'the status of an export': 'events export status meetings',
  'an import': 'contacts import people.csv',
  'the plan of an import': 'contacts import people.csv --dry-run',
  'a wrong argument': 'contacts list "$HOSTILE"',
  'a wrong flag': 'contacts list "--$HOSTILE"',
  'a wrong value of a flag': 'contacts list --limit "$HOSTILE"',
  'a wrong command': '"$HOSTILE"',
  'a wrong jq expression': 'contacts list --jq "$HOSTILE"',
  'the name of a file': 'contacts import "$HOSTILE.csv"',
  'a wrong base URL': 'contacts list --base-url "$HOSTILE"',
  'the names of profiles': 'auth list',
  'the name of a profile that is not there': 'contacts list --profile "$HOSTILE"',
  'the status of a sign-in': 'auth status',
} as const;

let shown: Promise<ReadonlyMap<string, string>> | undefined;

/** What each of the lines shows in a terminal of its own, one after the other. */
async function shownBy(): Promise<ReadonlyMap<string, string>> {
  const { env: own, home: cwd } = signedIn();
  const url = await hostileService();
  writeFileSync(
    join(cwd, 'people.csv'),
    `first_name,email,${hostile.replaceAll('\r', '')}\n"${hostile}",a@b.example,x\n,"${hostile}",y\n`,
  );
  const env = {
    ...own,
    KITH_BASE_URL: url,
    KITH_API_KEY: 'key-for-tests',
    HOSTILE: hostile.replaceAll('\u0000', '').replaceAll('\ud83d', ''),
  };
  const names = Object.keys(lines);
  const parts = [0, 1].map(async (part) => {
    const some = Object.entries(lines).filter(
      ([name]) => names.indexOf(name) % 2 === part || (/export|import/.test(name) === true && part === 0),
    );
    const script = some.map(([, line]) => `kith ${line} --retries 0; echo "=====$?"`).join('\n');
    const { out } = await inTerminal(script, { env, cwd, columns: 90, person: [['Delete', ctrlC]] });
    const texts = out.split(/=====\d+\r\n/);
    return some.map(([name], index) => [name, texts[index] ?? ''] as const);
  });
  return new Map((await Promise.all(parts)).flat());
}

/** Colours, and how a question is drawn. */
const ours = /\u001b\[(?:[\d;]{0,8}m|\?25[lh]|999D|\d?[ABCDGJK])/g;

test.each(Object.keys(lines))('Escape sequences from a service in %s', async (name) => {
  shown ??= shownBy();
  const text = (await shown).get(name) ?? '';
  expect(text).not.toBe('');
  expect(text.replace(ours, '').replaceAll('\r\n', '\n')).not.toMatch(
    /[^\P{Cc}\n\t]|[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufffd\u{e0041}]/u,
  );
  expect(text).not.toContain('\u001b[2J');
});
