import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { startRecordingService } from './recording-service.ts';

/** A machine with its settings file. */
function withSettings() {
  const folder = createTemporaryFolder();
  const file = join(folder, 'config.json');
  return { kith: createMachine(folder), file, read: () => JSON.parse(readFileSync(file, 'utf8')) };
}

const unchanged =
  'name\tvalue\tdefault\tfrom\nlimit\t\t25\t\npage-size\t\t100\t\ntimeout\t\t30\t\nretries\t\t4\t\nmax-wait\t\t60\t\nformat\t\t\t\nundo\t\tauto\t\nuser\t\t\t\nprocess\t\t\t\ncurrency\t\t\t\nfollowup-weights\t\tpromise=40,close=30,rhythm=20,date=15,value=10\t\n' +
  'readonly\t\tfalse\t\nallow\t\t\t\nmax-writes\t\t\t\nmax-requests\t\t\t\n';

test('config set, get, list and unset change the default of a flag', async () => {
  const { kith, file, read } = withSettings();
  expect(await kith('config list')).toEqual({ code: 0, out: unchanged, err: '' });
  expect(await kith('config path')).toEqual({ code: 0, out: `${file}\n`, err: '' });
  expect(await kith('config path --json')).toEqual({
    code: 0,
    out: `${JSON.stringify({ path: file }, null, 2)}\n`,
    err: '',
  });
  expect(await kith('config set page-size 50')).toEqual({
    code: 0,
    out: 'Default --page-size set to 50.\n',
    err: '',
  });
  expect((await kith('config set limit 7 --json')).out).toBe('{\n  "name": "limit",\n  "value": "7"\n}\n');
  expect(read()).toEqual({ defaults: { 'page-size': '50', limit: '7' }, profiles: {} });
  expect((await kith('config list')).out).toBe(
    unchanged
      .replace('limit\t\t25\t', 'limit\t7\t25\tkith config set')
      .replace('page-size\t\t100\t', 'page-size\t50\t100\tkith config set'),
  );
  expect((await kith('config get page-size')).out).toBe('50\n');
  expect((await kith('config get timeout')).out).toBe('30\n');
  expect((await kith('config get page-size --jq .value')).out).toBe('50\n');
  expect((await kith('config get timeout --json')).out).toBe(
    '{\n  "name": "timeout",\n  "value": null,\n  "default": "30",\n  "from": null\n}\n',
  );
  expect(await kith('config unset page-size')).toEqual({
    code: 0,
    out: 'Default --page-size reset to 100.\n',
    err: '',
  });
  await kith('config unset limit');
  expect(await kith('config unset retries')).toEqual({
    code: 0,
    out: 'Default --retries reset to 4.\n',
    err: '',
  });
  expect((await kith('config list')).out).toBe(unchanged);
});

test.each([
  [[], '', 'first=25&after=0'],
  [[], '--limit 3', 'first=3&after=0'],
  [['limit 7'], '', 'first=7&after=0'],
  [['limit 7'], '--limit 3', 'first=3&after=0'],
  [['limit 7'], '--all', 'first=100&after=0'],
  [['limit 400'], '', 'first=100&after=0'],
  [['limit 400', 'page-size 300'], '', 'first=300&after=0'],
  [['page-size 50'], '--all', 'first=50&after=0'],
  [['page-size 50'], '--all --page-size 20', 'first=20&after=0'],
  [['page-size 50'], '', 'first=25&after=0'],
])('with the defaults %j, contacts list %s requests %s', async (defaults, flags, query) => {
  const { env, listRequests } = await startRecordingService();
  const { kith } = withSettings();
  for (const line of defaults) await kith(`config set ${line}`);
  expect((await kith(`contacts list ${flags}`, { env })).code).toBe(0);
  expect(listRequests()).toEqual([`GET /v1/contacts?${query}`]);
});

test.each([
  [[], '', 5],
  [[], '--retries 0', 1],
  [['retries 1'], '', 2],
  [['retries 1'], '--retries 2', 3],
  [['retries 0'], '', 1],
])(
  'with the defaults %j and the flags "%s", an unavailable service gets %i requests',
  async (defaults, flags, count) => {
    const { requests, env } = await startTestService((_, response) => sendJson(response, 503));
    const { kith } = withSettings();
    for (const line of defaults) await kith(`config set ${line}`);
    expect((await kith(`contacts get c1 ${flags}`, { env })).code).toBe(75);
    expect(requests).toHaveLength(count);
  },
);

test('the note about remaining records names --all if --limit has a default', async () => {
  const pagination = { end_cursor: 2, has_next_page: true, total_count: 9 };
  const { env } = await startRecordingService({
    '/v1/contacts': { data: [{ id: 'a' }, { id: 'b' }], pagination },
  });
  const { kith } = withSettings();
  await kith('config set limit 2');
  expect(await kith('contacts list --fields id', { env })).toEqual({
    code: 0,
    out: 'id\na\nb\n',
    err: 'kith: 7 more records. Use --all or --limit N to see them.\n',
  });
});

const names =
  'one of limit, page-size, timeout, retries, max-wait, format, undo, user, process, currency, followup-weights, readonly, allow, max-writes, max-requests.\n';

test.each([
  ['set limit 0', 'limit: "0" is not an integer of 1 or more.\n'],
  ['set page-size 501', 'page-size: "501" is not an integer from 1 to 500.\n'],
  ['set timeout 0', 'timeout: "0" is not an integer from 1 to 3600.\n'],
  ['set retries 21', 'retries: "21" is not an integer from 0 to 20.\n'],
  ['set format xml', 'format: "xml" is not one of table, json, ndjson, compact, csv, tsv.\n'],
  ['set user mina', 'user: "mina" is not an email address.\n'],
  ['set limits 5', `NAME: "limits" is not ${names}`],
  ['set constructor 5', `NAME: "constructor" is not ${names}`],
  ['get pagesize', `NAME: "pagesize" is not ${names}`],
  ['unset all', `NAME: "all" is not ${names}`],
])('config %s is a usage error and stores nothing', async (line, err) => {
  const { kith } = withSettings();
  expect(await kith(`config ${line}`)).toEqual({ code: 2, out: '', err: `kith: ${err}` });
  expect((await kith('config list')).out).toBe(unchanged);
});

test.each([
  ['user', 'mina@tidewater.example', 'Email address (user)'],
  ['format', 'json', 'Default --format'],
])('config stores the %s, which has no default', async (name, value, label) => {
  const { kith, read } = withSettings();
  expect((await kith(`config get ${name}`)).out).toBe('\n');
  expect((await kith(`config set ${name} ${value}`)).out).toBe(`${label} set to ${value}.\n`);
  expect((await kith(`config get ${name}`)).out).toBe(`${value}\n`);
  expect((await kith('config list --format tsv')).out).toContain(`\n${name}\t${value}\t\tkith config set\n`);
  expect((await kith(`config unset ${name}`)).out).toBe(`${label} removed.\n`);
  expect(read().defaults).toEqual({});
});

test.each([
  ['limit', 'many', '2', 'an integer of 1 or more'],
  ['format', 'xml', 'tsv', 'one of table, json, ndjson, compact, csv, tsv'],
])(
  'an invalid stored default of %s is reported with its file and can be unset',
  async (name, value, valid, kind) => {
    const { env, requests } = await startRecordingService();
    const { kith, file, read } = withSettings();
    const stored = {
      active: 'work',
      future: { kept: true },
      defaults: { [name]: value, 'of-tomorrow': '1' },
      profiles: { work: { base_url: 'https://crm.example.com', api_key: 'secret-key-1' } },
    };
    writeFileSync(file, JSON.stringify(stored), { mode: 0o600 });
    expect(await kith('contacts list', { env })).toEqual({
      code: 1,
      out: '',
      err: `kith: The default of --${name} in ${file} is invalid: "${value}" is not ${kind}.\nhint: kith config unset ${name}\n`,
    });
    expect(requests).toEqual([]);
    expect((await kith(`contacts list --${name} ${valid}`, { env })).code).toBe(0);
    expect((await kith(`config get ${name} --jq .value`)).out).toBe(`${value}\n`);
    await kith(`config unset ${name}`);
    expect((await kith('contacts list', { env })).code).toBe(0);
    expect(read()).toEqual({ ...stored, defaults: { 'of-tomorrow': '1' } });
  },
);
