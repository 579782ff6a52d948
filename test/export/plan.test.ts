import { expect, test } from 'vitest';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { planFiles, planMoves } from '../../src/export/file-plan.ts';
import { ExportFolder, hashContent } from '../../src/export/folder.ts';
import { openLedger } from '../../src/export/ledger.ts';
import type { LedgerMeeting } from '../../src/export/ledger-format.ts';
import { createMeeting } from '../../src/export/meeting-state.ts';
import { prune } from '../../src/export/prune.ts';
import { defaultPermissions } from '../../src/files/permissions.ts';
import { createTemporaryFolder } from '../support/kith.ts';

// The table of an export's files: what the ledger has of a meeting, what the folder has, and what comes of it.
// A cell is a list of files with their texts: `mine` was written by a person, every other text by an export.

/** Parses `a.md=old, a.txt=old` to names and texts. */
const parseFiles = (cell: string) =>
  cell
    .split(',')
    .map((file) => file.trim().split('=') as [name: string, text: string])
    .filter(([name]) => name !== '');

/** Parses `a.md=old; planned b.md=new; unused a.txt=old`; `deleted` before the files of a meeting deleted upstream. */
function parseLedger(cell: string): LedgerMeeting {
  const cellsByKind = new Map(
    cell.split(';').map((part) => {
      const [, kind = '', files = ''] = /^(deleted|planned|unused|) ?(.*)$/.exec(part.trim()) ?? [];
      return [kind, files];
    }),
  );
  // A file that the export found and never wrote has no hash.
  const parseKind = (kind: string) =>
    parseFiles(cellsByKind.get(kind) ?? '').map(([name, text]) => ({
      name,
      hash: text === '?' ? '' : hashContent(text),
    }));
  return {
    ...createMeeting(createRecordNormalizer(calendarEvents.get)({ id: 'a' })),
    files: [...parseKind(''), ...parseKind('deleted')],
    plannedFiles: parseKind('planned'),
    unusedFiles: parseKind('unused'),
    isDeleted: cellsByKind.has('deleted'),
  };
}

/** A folder in memory. */
class MemoryFolder extends ExportFolder {
  readonly texts: Map<string, string>;
  constructor(cell: string) {
    super('/nowhere');
    this.texts = new Map(parseFiles(cell));
  }
  override has(name: string) {
    return this.texts.has(name);
  }
  override hash(name: string) {
    const text = this.texts.get(name);
    return text === undefined ? undefined : hashContent(text);
  }
  override move(from: string, to: string) {
    this.texts.set(to, this.texts.get(from) ?? '');
    this.texts.delete(from);
  }
  override remove(name: string) {
    this.texts.delete(name);
  }
  format = () =>
    [...this.texts]
      .map((file) => file.join('='))
      .sort()
      .join(', ');
}

const parseTable = (table: string) =>
  table
    .trim()
    .split('\n')
    .filter((line) => line.includes('|'))
    .map(
      (line) =>
        line.split('|').map((cell) => cell.trim()) as [string, string, string, string, string, string],
    );

// `exported`: the name and the texts that the meeting should have now.
test.each(
  parseTable(`
no file                           |                                    |                          | a.md=new           | new                        | a.md=new
as exported                       | a.md=old                           | a.md=old                 | a.md=new           | updated                    | a.md=new
as exported, nothing changed      | a.md=new                           | a.md=new                 | a.md=new           | unchanged                  | a.md=new
missing                           | a.md=old                           |                          | a.md=new           | updated                    | a.md=new
missing, nothing changed          | a.md=new                           |                          | a.md=new           | updated                    | a.md=new
edited                            | a.md=old                           | a.md=mine                | a.md=new           | updated, edited a.md       | a.md=mine, a.new.md=new
edited, nothing changed           | a.md=new                           | a.md=mine                | a.md=new           | unchanged                  | a.md=mine
edited, with a .new file          | a.md=old, a.new.md=newer           | a.md=mine, a.new.md=newer | a.md=new          | updated, edited a.md       | a.md=mine, a.new.md=new
edited, .new file is current      | a.md=old, a.new.md=new             | a.md=mine, a.new.md=new  | a.md=new           | unchanged                  | a.md=mine, a.new.md=new
edited, .new file deleted         | a.md=old, a.new.md=newer           | a.md=mine                | a.md=new           | updated, edited a.md       | a.md=mine, a.new.md=new
edited, .new file edited          | a.md=old, a.new.md=newer           | a.md=mine, a.new.md=mine | a.md=new           | updated, edited a.md       | a.md=mine, a.new.md=mine, a.new2.md=new
edited, two .new files edited     | a.md=old, a.new.md=o, a.new2.md=o  | a.md=mine, a.new.md=mine, a.new2.md=mine | a.md=new | updated, edited a.md | a.md=mine, a.new.md=mine, a.new2.md=mine, a.new3.md=new
edited, its edits reverted        | a.md=old, a.new.md=newer           | a.md=old, a.new.md=newer | a.md=new           | updated, unused a.new.md   | a.md=new, a.new.md=newer
.new file moved over it           | a.md=old, a.new.md=newer           | a.md=newer               | a.md=new           | updated                    | a.md=new
.new moved over it, not changed   | a.md=old, a.new.md=new             | a.md=new                 | a.md=new           | unchanged                  | a.md=new
one of two edited                 | a.md=old, a.txt=old                | a.md=old, a.txt=mine     | a.md=new, a.txt=new | updated, edited a.txt     | a.md=new, a.new.txt=new, a.txt=mine

renamed                           | a.md=old                           | a.md=old                 | b.md=new           | updated                    | b.md=new
moved to a subfolder              | a.md=old, a.txt=old                | a.md=old, a.txt=old      | 10/a.md=old, 10/a.txt=old | moved               | 10/a.md=old, 10/a.txt=old
renamed, missing                  | a.md=old                           |                          | b.md=new           | updated                    | b.md=new
renamed, edited                   | a.md=old                           | a.md=mine                | b.md=new           | updated, edited b.md       | b.md=mine, b.new.md=new
renamed, edited, with a .new file | a.md=old, a.new.md=newer           | a.md=mine, a.new.md=newer | b.md=new          | updated, edited b.md       | b.md=mine, b.new.md=new
renamed to another file's name    | a.md=old                           | a.md=old, b.md=mine      | b.md=new           | updated, edited b.md, unused a.md, blocked | a.md=old, b.md=mine, b.new.md=new
ditto, edited                     | a.md=old                           | a.md=mine, b.md=mine     | b.md=new           | updated, edited b.md, unused a.md, blocked | a.md=mine, b.md=mine, b.new.md=new

ledger lost                       |                                    | a.md=new                 | a.md=new           | unchanged                  | a.md=new
ledger lost, other content        |                                    | a.md=old                 | a.md=new           | updated, edited a.md       | a.md=old, a.new.md=new
ledger lost, both files there     |                                    | a.md=old, a.new.md=new   | a.md=new           | unchanged                  | a.md=old, a.new.md=new
ledger lost, renamed since        |                                    | a.md=old                 | b.md=new           | new                        | a.md=old, b.md=new
found once, edited since          | a.md=?, a.new.md=newer             | a.md=mine, a.new.md=newer | a.md=new          | updated, edited a.md       | a.md=mine, a.new.md=new

a format is no longer exported    | a.md=old, a.txt=old                | a.md=old, a.txt=old      | a.md=new           | updated, unused a.txt      | a.md=new, a.txt=old
ditto, edited                     | a.md=old, a.txt=old                | a.md=old, a.txt=mine     | a.md=new           | updated, unused a.txt      | a.md=new, a.txt=mine
ditto, missing                    | a.md=old, a.txt=old                | a.md=old                 | a.md=new           | updated                    | a.md=new
it stays, and the title changes   | a.md=old; unused a.txt=old         | a.md=old, a.txt=old      | b.md=new           | updated, unused a.txt      | a.txt=old, b.md=new
it returns                        | a.md=old; unused a.txt=old         | a.md=old, a.txt=old      | a.md=new, a.txt=new | updated                   | a.md=new, a.txt=new
it returns with another title     | a.md=old; unused a.txt=old         | a.md=old, a.txt=old      | b.md=new, b.txt=new | updated                   | b.md=new, b.txt=new
it returns, edited                | a.md=old; unused a.txt=old         | a.md=old, a.txt=mine     | a.md=new, a.txt=new | updated, edited a.txt     | a.md=new, a.new.txt=new, a.txt=mine
ditto, with another title          | a.md=old; unused a.txt=old, a.new.txt=newer | a.md=old, a.txt=mine, a.new.txt=newer | b.md=new, b.txt=new | updated, edited b.txt | b.md=new, b.new.txt=new, b.txt=mine

killed before the first step      | a.md=old; planned b.md=new         | a.md=old                 | c.md=newest        | updated                    | c.md=newest
killed after the rename           | a.md=old; planned b.md=new         | b.md=old                 | c.md=newest        | updated                    | c.md=newest
killed after the write            | a.md=old; planned b.md=new         | b.md=new                 | c.md=newest        | updated                    | c.md=newest
killed before, the title is back  | a.md=old; planned b.md=new         | b.md=old                 | a.md=old           | moved                      | a.md=old
killed before a write with --full | a.md=old; planned a.md=new         | a.md=old                 | a.md=new           | updated                    | a.md=new
killed after it, same again       | a.md=old; planned a.md=new         | a.md=new                 | a.md=new           | unchanged                  | a.md=new
killed, then edited               | a.md=old; planned a.md=new         | a.md=mine                | a.md=new           | updated, edited a.md       | a.md=mine, a.new.md=new
killed at the first export        | planned a.md=old                   | a.md=old                 | a.md=new           | updated                    | a.md=new
killed with another format        | a.md=old; planned a.md=o, a.txt=o  | a.md=o, a.txt=o          | a.md=new           | updated, unused a.txt      | a.md=new, a.txt=o

killed, edited: before            | a.md=old, a.new.md=new; planned b.md=old, b.new.md=newer | a.md=mine, a.new.md=new | c.md=newest | updated, edited c.md | c.md=mine, c.new.md=newest
killed, edited: file renamed      | a.md=old, a.new.md=new; planned b.md=old, b.new.md=newer | b.md=mine, a.new.md=new | c.md=newest | updated, edited c.md | c.md=mine, c.new.md=newest
killed, edited: both renamed      | a.md=old, a.new.md=new; planned b.md=old, b.new.md=newer | b.md=mine, b.new.md=new | c.md=newest | updated, edited c.md | c.md=mine, c.new.md=newest
killed, edited: after the write   | a.md=old, a.new.md=new; planned b.md=old, b.new.md=newer | b.md=mine, b.new.md=newer | c.md=newest | updated, edited c.md | c.md=mine, c.new.md=newest
killed, edited: .new moved over   | a.md=old, a.new.md=new; planned b.md=old, b.new.md=newer | b.md=newer | c.md=newest | updated | c.md=newest
`),
)('%s: ledger %s, folder %s, exported %s: %s, folder %s', (_, ledger, before, exported, result, after) => {
  const folder = new MemoryFolder(before);
  const rendered = parseFiles(exported);
  const [path = ''] = rendered[0] ?? [];
  let meeting = parseLedger(ledger);
  const runExport = (change: (text: string) => string) => {
    const files = rendered.map(([name, text]) => ({
      suffix: name.replace(/^[^.]*/, ''),
      text: change(text),
    }));
    const { moves, movedMeeting, isBlocked } = planMoves(folder, meeting, path, files);
    for (const { from, to } of moves) folder.move(from, to);
    const plan = planFiles(folder, movedMeeting, path, files);
    for (const { name, text } of plan.writes) folder.texts.set(name, text);
    meeting = { ...meeting, files: plan.files, unusedFiles: plan.unusedFiles, plannedFiles: [] };
    return [
      plan.kind === 'unchanged' && moves.length > 0 ? 'moved' : plan.kind,
      ...plan.editedNames.map((name) => `edited ${name}`),
      ...plan.unusedFiles.map(({ name }) => `unused ${name}`),
      ...(isBlocked ? ['blocked'] : []),
    ].join(', ');
  };
  expect([runExport((text) => text), folder.format()]).toEqual([result, after]);
  // The next run changes nothing, and a later text replaces no text of a person.
  expect(runExport((text) => text)).toMatch(/^unchanged/);
  expect(folder.format()).toBe(after);
  const countMine = () => folder.format().split('=mine').length;
  const count = countMine();
  expect(runExport(() => 'later')).toMatch(/^updated/);
  expect(countMine()).toBe(count);
});

// `left`: the files of the meeting in the ledger; `-`: the ledger forgets the meeting.
test.each(
  parseTable(`
exported                          | a.md=old                                     | a.md=old                             | 0 | a.md           | a.md=old
not of the export                 | a.md=old                                     | a.md=old, b.md=mine                  | 0 | a.md           | a.md=old, b.md=mine
with an unused file               | a.md=old; unused a.txt=old                   | a.md=old, a.txt=old                  | 1 | a.md           | a.md=old
with an edited unused file        | a.md=old; unused a.txt=old                   | a.md=old, a.txt=mine                 | 0 | a.md, a.txt    | a.md=old, a.txt=mine
with an unused .new file          | a.md=old; unused a.new.md=old                | a.md=old, a.new.md=old               | 1 | a.md           | a.md=old
deleted upstream                  | deleted a.md=old, a.txt=old                  | a.md=old, a.txt=old                  | 2 | -              |
deleted, edited                   | deleted a.md=old, a.txt=old                  | a.md=mine, a.txt=old                 | 1 | a.md           | a.md=mine
deleted, edited, with a .new file | deleted a.md=old, a.new.md=new               | a.md=mine, a.new.md=new              | 1 | a.md           | a.md=mine
deleted, missing                  | deleted a.md=old                             |                                      | 0 | -              |
deleted after a kill              | deleted a.md=old; planned b.md=new; unused a.txt=old | a.txt=old, b.md=new          | 2 | -              |
`),
)('--prune at a meeting that is %s: ledger %s, folder %s: %s files, left %s and %s', (...row) => {
  const [, ledgerCell, before, count, left, after] = row;
  const ledger = openLedger(createTemporaryFolder(), {}, defaultPermissions);
  ledger.save({ meeting: parseLedger(ledgerCell) });
  const folder = new MemoryFolder(before);
  const pruned = prune(folder, ledger, true);
  const meeting = ledger.getMeeting('a');
  ledger.close();
  const names = meeting && [...meeting.files, ...meeting.unusedFiles].map(({ name }) => name).join(', ');
  expect([pruned.files + pruned.unused, names ?? '-', folder.format()]).toEqual([Number(count), left, after]);
});

test.each([
  [2, false, 'deletes them'],
  [3, false, 'refuses'],
  [3, true, 'deletes them'],
])('--prune with %d of 20 files to delete, confirmed %s, %s', (count, isConfirmed, outcome) => {
  const ledger = openLedger(createTemporaryFolder(), {}, defaultPermissions);
  const names = Array.from({ length: 20 }, (_, index) => `${index}.md`);
  for (const [index, name] of names.entries()) {
    const meeting = parseLedger(`${index < count ? 'deleted ' : ''}${name}=old`);
    ledger.save({ meeting: { ...meeting, id: name } });
  }
  const folder = new MemoryFolder(names.map((name) => `${name}=old`).join(', '));
  if (outcome === 'refuses') expect(() => prune(folder, ledger, isConfirmed)).toThrow('would delete 3 of 20');
  else expect(prune(folder, ledger, isConfirmed)).toEqual({ files: count, meetings: count, unused: 0 });
  ledger.close();
  expect(folder.texts.size).toBe(outcome === 'refuses' ? 20 : 20 - count);
});

test('recognizes a file of which only the line ends were changed, whatever its bytes', () => {
  expect(hashContent('a\r\nb\r\n')).toBe(hashContent('a\nb\n'));
  expect(hashContent(Buffer.from([0xff, 13, 10]))).toBe(hashContent(Buffer.from([0xff, 10])));
  expect(hashContent('a\nb')).not.toBe(hashContent('ab'));
});
