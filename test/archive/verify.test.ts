import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startArchiveMachine } from './archive-service.ts';

/** Returns a machine with an archive, and a function that changes one of its files. */
async function createChangeableArchive() {
  const { kith, archive, records } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const verify = async () => {
    const { code, out } = await kith(`workspace verify ${archive} --json`);
    return { code, problems: JSON.parse(out).problems };
  };
  /** Changes the text of a file. `isCounted`: the manifest gets the counts of the changed file. */
  const change = (name: string, edit: (text: string) => string | Buffer, isCounted = true) => {
    const path = join(archive, `${name}.ndjson`);
    const bytes = Buffer.from(edit(readFileSync(path, 'utf8')));
    writeFileSync(path, bytes);
    if (!isCounted) return;
    const manifestFile = join(archive, 'manifest.json');
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    manifest.files[name] = { records: bytes.toString().split('\n').length - 1, bytes: bytes.length, sha256 };
    writeFileSync(manifestFile, JSON.stringify(manifest));
  };
  return { kith, archive, records, change, verify };
}

test.each([
  ['a changed byte', (text: string) => text.replace('Zoë', 'Zoé'), 'the file has another SHA-256 sum'],
  ['a missing line', (text: string) => text.replace(/^.*\n/, ''), 'the file has 1 records instead of 2'],
  ['a truncated line', (text: string) => text.slice(0, -10), 'the file has 1 records instead of 2'],
  ['a text after the last line', (text: string) => `${text}x`, /^the file has \d+ bytes instead of \d+$/],
])('finds %s', async (_, edit, problem) => {
  const { change, verify } = await createChangeableArchive();
  change('contacts', edit, false);
  const { code, problems } = await verify();
  expect(code).toBe(1);
  expect(problems).toContainEqual({
    noun: 'contacts',
    problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
  });
});

test.each([
  ['a line that is not JSON', (text: string) => `${text}{"id":\n`, 'line 3 is not a record'],
  ['a line that is not UTF-8', (text: string) => Buffer.from(text, 'latin1'), 'line 1 is not UTF-8'],
  ['a record without an id', (text: string) => `${text}{"first_name":"x"}\n`, 'line 3 is not a record'],
])('finds %s', async (_, edit, problem) => {
  const { change, verify } = await createChangeableArchive();
  change('contacts', edit);
  expect(await verify()).toEqual({ code: 1, problems: [{ noun: 'contacts', problem }] });
});

test('finds a repeated record, but allows entries of two lists with the same id', async () => {
  const { change, verify } = await createChangeableArchive();
  change('entries', (text) => text.replace('"e2"', '"e1"'));
  expect(await verify()).toEqual({ code: 0, problems: [] });
  change('contacts', (text) => `${text}{"id":"c1"}\n`);
  expect(await verify()).toEqual({
    code: 1,
    problems: [{ noun: 'contacts', id: 'c1', problem: 'the record is repeated' }],
  });
});

test('finds references to missing records, each record once', async () => {
  const { change, verify } = await createChangeableArchive();
  change('organizations', () => '');
  change('recordings', (text) => text.replace('"m0"', '"m9"').replace(/.*"r1".*\n/, ''));
  change('entries', (text) =>
    text
      .replace('"list_id":"l1"', '"list_id":"l9"')
      .replace('"c2"', '"o7"')
      .replace(
        '"entryable_type":"Contact","created_at"',
        '"entryable_type":"Contact","contact_id":"c9","created_at"',
      ),
  );
  change('notes', (text) => text.replace('"organization_id"', '"deal_id":"e9","organization_id"'));
  change('contacts', (text) =>
    text.replace(
      '"organization_id":null',
      '"organization_id":null,"custom_fields":{"f1":{"name":"Boss","data_type":"contact","value":["c1","c8"]},"f2":{"name":"Text","data_type":"text","value":"c7"}}',
    ),
  );
  expect(await verify()).toEqual({
    code: 1,
    problems: [
      { noun: 'contacts', id: 'c1', problem: 'its organization_id o1 is not in organizations.ndjson' },
      { noun: 'contacts', id: 'c2', problem: 'its Boss c8 is not in contacts.ndjson' },
      { noun: 'entries', id: 'e1', problem: 'its list_id l9 is not in lists.ndjson' },
      { noun: 'entries', id: 'e1', problem: 'its contact_id c9 is not in contacts.ndjson' },
      { noun: 'entries', id: 'e2', problem: 'its entryable_id o7 is not in contacts.ndjson' },
      { noun: 'notes', id: 'n1', problem: 'its deal_id e9 is not in entries.ndjson' },
      { noun: 'events', id: 'm1', problem: 'its recordings r1 is not in recordings.ndjson' },
      { noun: 'recordings', id: 'r0', problem: 'its calendar_event_id m9 is not in events.ndjson' },
    ],
  });
});

test('prints at most 20 problems, sanitized, also with --quiet', async () => {
  const { kith, archive, change } = await createChangeableArchive();
  const lines = Array.from({ length: 25 }, (_, index) =>
    JSON.stringify({ id: `n${index}`, organization_id: `\u001b[2J${index}` }),
  );
  change('notes', () => `${lines.join('\n')}\n`);
  const { code, out, err } = await kith(`workspace verify ${archive} --quiet`);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('has 25 problems') });
  expect(out.split('\n')).toHaveLength(22);
  expect(out).toMatch(/\nand 5 more problems\n$/);
  expect(out).not.toContain('\u001b');
});

test('names a missing file, a damaged manifest and a folder without a manifest', async () => {
  const { kith, archive } = await createChangeableArchive();
  rmSync(join(archive, 'notes.ndjson'));
  expect(await kith(`workspace verify ${archive}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('notes.ndjson: it does not exist'),
  });
  for (const [text, problem] of [
    ['{"kith_archive":1}', 'is damaged: kith_version is invalid'],
    ['{"kith_archive":2}', 'was written by a newer version of kith'],
  ] as const) {
    writeFileSync(join(archive, 'manifest.json'), text);
    expect(await kith(`workspace verify ${archive}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`The archive manifest ${join(archive, 'manifest.json')} ${problem}.`),
    });
  }
  rmSync(join(archive, 'manifest.json'));
  expect(await kith(`workspace verify ${archive}`)).toMatchObject({ code: 3 });
});
