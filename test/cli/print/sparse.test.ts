import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRecordingService } from '../../commands/recording-service.ts';
import { createEnv, runShell } from '../../support/binary.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';

test('entries have a column for each field of any entry, even if the first one lacks it', async () => {
  const { env } = await startRecordingService({
    '/v1/lists/l1/entries': {
      data: [
        { id: 'e1', entryable_id: 'c1', list_fields: {} },
        {
          id: 'e2',
          key: 'D-2',
          status: 'Won',
          entryable_type: 'Contact',
          entryable_id: 'c2',
          one_time_value_cents: 1250,
          list_fields: { f1: { name: 'Rooms', data_type: 'number', value: 7 } },
        },
      ],
    },
  });
  const { out } = await createMachine()('entries list l1 --format csv', { env });
  expect(out).toBe(
    'id,key,status,assignee,one_time_value,recurring_value,recurring_period,entryable_id,contact.name,Rooms\r\n' +
      'e1,,,,,,,c1,,\r\ne2,D-2,Won,,12.50,,,c2,Ada Lovelace,7\r\n',
  );
});

test('a report sums cents that a double cannot hold, and refuses an invalid amount', async () => {
  const list = { id: 'l1', name: 'Deals', process: true, statuses: [{ name: 'Won', type: 'won' }] };
  const entry = (cents: unknown) => ({ id: 'e1', status: 'Won', one_time_value_cents: cents });
  const runReport = async (cents: unknown, id: string) => {
    const { env } = await startRecordingService({
      [`/v1/lists/${id}`]: { ...list, id },
      [`/v1/lists/${id}/entries`]: { data: [entry(cents)] },
    });
    return createMachine()(`lists report ${id} --fields one_time_value_cents --no-header`, { env });
  };
  expect((await runReport(9007199254740991, 'a')).out).toBe('9007199254740991\n');
  expect((await runReport('90071992547409931', 'b')).out).toBe('90071992547409931\n');
  expect(await runReport('many', 'c')).toEqual({
    code: 1,
    out: '',
    err: 'kith: An entry has the invalid value "many": expected whole cents.\n',
  });
});

test('--dry-run shows the body of --data unchanged', async () => {
  const file = join(createTemporaryFolder(), 'in.json');
  writeFileSync(file, '{"a":1.10,"b":12345678901234567890,"c":"\\u00e9"}');
  const { env } = await startRecordingService();
  const { out } = await createMachine()(`api /v1/contacts --input ${file} --dry-run`, { env });
  expect(out).toBe('POST /v1/contacts\n{\n  "a": 1.10,\n  "b": 12345678901234567890,\n  "c": "\\u00e9"\n}\n');
  const { out: json } = await createMachine()(`api /v1/contacts --input ${file} --dry-run --json`, { env });
  expect(json).toContain('"body": {\n    "a": 1.10,');
});

test('escapes "=" in the name of a field with a backslash', async () => {
  const kith = createDemoMachine();
  await kith('custom-fields create a=b --model contact');
  const { out } = await kith('contacts update 0rlnky --field a\\=b=c=d --dry-run --jq .body');
  expect(out).toBe('{"custom_fields":[{"name":"a=b","value":"c=d"}]}\n');
});

test('rejects stdin that is not UTF-8 before it sends anything', async () => {
  const home = createTemporaryFolder();
  const line = "printf '\\xff\\xfe' | kith notes update n1 --body - --dry-run";
  const env = createEnv(home, { KITH_BASE_URL: 'http://127.0.0.1:1', KITH_API_KEY: 'key-for-tests' });
  expect(await runShell(line, { env })).toEqual({
    code: 2,
    out: '',
    err: 'kith: The input on stdin is not UTF-8.\n',
  });
});
