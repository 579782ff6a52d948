import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createSignedInHome, runShell } from '../support/binary.ts';
import { createHostileRecord, hostileText } from './hostile.ts';

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
  const { url } = await startTestService(({ url }, response) => {
    const list = url.includes('/contacts') ? [contact] : [meeting];
    const data = url.includes('/recordings/') ? meeting : list;
    sendJson(response, 200, { data, pagination: { has_next_page: false } });
  });
  const { env, home } = createSignedInHome({ KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' });
  return { env, cwd: home, title };
}

async function exportHostile() {
  const { env, cwd, title } = await createHostileExport();
  const kinds = ['json', 'vtt', 'srt', 'txt'].map((kind) => `--with ${kind}`).join(' ');
  const { code, err } = await runShell(`kith events export --out meetings ${kinds}`, { env, cwd });
  const names = readdirSync(join(cwd, 'meetings')).sort();
  const readByExtension = (extension: string) => {
    const name = names.find((one) => one.endsWith(`.${extension}`)) ?? '';
    return readFileSync(join(cwd, 'meetings', name), 'utf8');
  };
  return { code, err, names, title, readFile: readByExtension, siblings: readdirSync(cwd).sort() };
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
  const { env, cwd } = await createHostileExport();
  const fields = '--fields first_name,last_name';
  const { out } = await runShell(`kith contacts list --format csv ${fields}`, { env, cwd });
  expect(parseCsv(out)).toEqual([
    ['first_name', 'last_name'],
    [`'${formulaText}`, `a"b,\r\n${hostileText.replace('\ud83d', '\ufffd')}`],
  ]);
});
