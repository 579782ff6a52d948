import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { constants, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createEnv, launcher } from '../support/binary.ts';
import { createEmptyWorkspace, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';
import { createWorkbookParts, createZip } from './workbook-file.ts';

const sheetPart = 'xl/worksheets/sheet1.xml';
const header = '<row r="1"><c t="str"><v>email</v></c></row>';

/** Creates a workbook of which a part unpacks to `size` bytes: deflated bytes that end with a full flush can be repeated. */
function createBomb(part: string, start: string, repeated: string, end: string, size = 1.5e9) {
  const block = repeated.repeat(Math.ceil(4_000_000 / repeated.length));
  const count = Math.ceil(size / block.length);
  const flush = { finishFlush: constants.Z_FULL_FLUSH };
  const deflated = Buffer.concat([
    deflateRawSync(start, flush),
    ...Array(count).fill(deflateRawSync(block, flush)),
    deflateRawSync(end),
  ]);
  const unpacked = start.length + block.length * count + end.length;
  return createZip({ ...createWorkbookParts({ rows: header }), [part]: { deflated, size: unpacked } });
}

/** Runs a dry run; returns its exit code, its error, its processor time in seconds and its peak memory in MB. */
async function importWorkbook(workbook: Buffer) {
  const home = createTemporaryFolder();
  const database = createEmptyWorkspace(home);
  writeStoredSettings(join(home, '.config/kith'), { active: 'local', profiles: { local: { database } } });
  const file = join(home, 'people.xlsx');
  writeFileSync(file, workbook);
  const hook = join(home, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => {
       const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
       process.stdout.write(JSON.stringify([maxRSS / 1024, (userCPUTime + systemCPUTime) / 1e6]));
     });`,
  );
  const words = ['--require', hook, launcher, 'contacts', 'import', file, '--dry-run', '--ignore', 'none'];
  const kith = spawn(process.execPath, words, { env: createEnv(home), stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([text(kith.stdout), text(kith.stderr), once(kith, 'close')]);
  const [megabytes, seconds] = JSON.parse(out);
  return { code: kith.exitCode, err, seconds, megabytes };
}

const farCells = Array.from(
  { length: 20_000 },
  (_, at) => `<row r="${at + 2}"><c r="XFD${at + 2}" t="str"><v>x</v></c></row>`,
);

test.each<[string, () => Buffer, string]>([
  [
    'whose texts unpack to 1.5 GB',
    () => createBomb('xl/sharedStrings.xml', '<sst>', '<si><t>a</t></si>', '</sst>'),
    'is larger than 256 MB',
  ],
  [
    'whose only cell unpacks to 0.9 GB',
    () =>
      createBomb(
        sheetPart,
        '<worksheet><sheetData><row><c><v>',
        'abcdefgh',
        '</v></c></row></sheetData>',
        0.9e9,
      ),
    'it has a text that is too long',
  ],
  [
    'whose rows unpack to 1.5 GB',
    () =>
      createBomb(
        sheetPart,
        `<worksheet><sheetData>${header}`,
        `<row><c t="str"><v>${'a'.repeat(2000)}</v></c></row>`,
        '</sheetData></worksheet>',
      ),
    'is larger than 1024 MB',
  ],
  [
    'with cells in column XFD of 20,000 rows',
    () => createZip(createWorkbookParts({ rows: header + farCells.join('') })),
    'it has more than 20971520 cells',
  ],
])(
  'refuses a workbook %s within 4 seconds and 300 MB',
  async (_, create, reason) => {
    const { code, err, seconds, megabytes } = await importWorkbook(create());
    expect([code, err]).toEqual([2, expect.stringContaining(`as an .xlsx file: `)]);
    expect(err).toContain(reason);
    expect(megabytes).toBeLessThan(300);
    expect(seconds).toBeLessThan(4);
  },
  60_000,
);
