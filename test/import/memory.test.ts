import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { sendPage, startTestService } from '../client/loopback.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { measureMemory } from '../support/memory.ts';

const isLong = process.env.KITH_LONG === '1';

const formatName = (index: number) => `Number ${index}`;
/** A note in a column that is not imported: an import that holds whole rows takes much more memory. */
const formatNote = (index: number) => `${'x'.repeat(isLong ? 4000 : 40_000)} ${index}`;
const formatEmail = (index: number) => `person.number.${index}@company${index % 999}.example`;

/** Starts a service with `total` contacts, whose pages it creates on request. */
function startLargeService(total: number) {
  const createContact = (index: number) => ({
    id: `c${index}`,
    first_name: 'Person',
    last_name: formatName(index),
    emails: [formatEmail(index)],
    phone_numbers: [],
    organization_id: null,
    custom_fields: {},
  });
  return startTestService(({ url }, response) =>
    sendPage(response, url, { length: url.startsWith('/v1/contacts?') ? total : 0, at: createContact }),
  );
}

/** Writes a file with rows of existing contacts. One row of ten is invalid. */
async function writeTable(rows: number, file: string): Promise<void> {
  const lines = function* () {
    yield 'email,first_name,last_name,Notes\r\n';
    for (let index = 0; index < rows; index += 1)
      yield `${index % 10 === 9 ? 'none' : formatEmail(index)},Person,${formatName(index)},${formatNote(index)}\r\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
}

const many = isLong ? 200_000 : 100;

/** A heap that is too small for all rows of the file. */
const memoryFlags = [`--max-old-space-size=${isLong ? 300 : 20}`, '--max-semi-space-size=8'];

/** Imports a file with `rows` rows; returns the exit code, the output and the peak memory in MB. */
async function measureImport(rows: number, flags: readonly string[]) {
  const service = await startLargeService(rows);
  const table = join(createTemporaryFolder(), 'people.csv');
  await writeTable(rows, table);
  const words = ['contacts', 'import', table, '--ignore', 'Notes', ...flags];
  let out = '';
  let lines = 0;
  const result = await measureMemory(memoryFlags, words, service.env, async (stdout) => {
    for await (const chunk of stdout.setEncoding('utf8')) {
      lines += chunk.split('\n').length - 1;
      out = (out + chunk).slice(-500);
    }
  });
  return { ...result, out, lines };
}

/** The additional memory of a long file in MB: the contacts of the workspace and the values of the rows, at about 1.5 KB a row. */
const margin = isLong ? 300 : 15;

const format = (count: number) => count.toLocaleString('en');

test(`an import of ${many} rows holds their records and values, but not the rows of the file`, async () => {
  const [fewRows, all] = [await measureImport(10, []), await measureImport(many, [])];
  expect([fewRows.code, fewRows.out, all.code, all.out]).toEqual([
    6,
    expect.stringContaining('10 rows: 0 created, 0 updated, 9 same, 1 refused'),
    6,
    expect.stringContaining(
      `${format(many)} rows: 0 created, 0 updated, ${format(many * 0.9)} same, ${format(many / 10)} refused`,
    ),
  ]);
  expect(all.megabytes - fewRows.megabytes).toBeLessThan(margin);
}, 300_000);

test.runIf(isLong)(
  `a dry run of ${many} rows holds their records and values, but not the rows of the file`,
  async () => {
    const [fewRows, all] = [
      await measureImport(1000, ['--dry-run']),
      await measureImport(many, ['--dry-run']),
    ];
    expect([fewRows.code, fewRows.lines, all.code, all.lines]).toEqual([6, 1000, 6, many]);
    expect(all.megabytes - fewRows.megabytes).toBeLessThan(margin);
  },
  300_000,
);
