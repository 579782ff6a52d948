import { isUtf8 } from 'node:buffer';
import { defineCommand, toRecordResult, toRecordsResult, toTextResult } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { findFormat, readTextFile } from '../cli/command/files.ts';
import { createFlag, createTextOption } from '../cli/command/options.ts';
import { conflicts } from '../cli/command/rules.ts';
import { databaseOptions, openWorkspaceFile } from '../cli/connect/database.ts';
import { describeDeletePrompt } from '../cli/writes/writing.ts';
import { Failure } from '../contract/errors.ts';
import type { SkippedEvents, TextFile } from '../contract/workspace.ts';
import { views } from '../render/views.ts';
import { formatCount, maxNamesInMessage } from '../values/text.ts';
import { checkout, push, status } from './checkout/checkout.ts';
import { importOptions } from './import/options.ts';
import { backup } from './workspace/backup.ts';
import { workspaceCopy } from './workspace/copy.ts';
import { diff } from './workspace/diff.ts';
import { info } from './workspace/info.ts';
import { pull } from './workspace/pull.ts';
import { verify } from './workspace/verify.ts';

const transcriptFormats = { '.vtt': 'vtt', '.srt': 'srt', '.json': 'json' } as const;
const summaryFormats = { '.json': 'json', '.md': 'text', '.markdown': 'text', '.txt': 'text' } as const;

const { encoding } = importOptions;

export const workspace = [
  ...[info, backup, verify, workspaceCopy, diff, pull, checkout, status, push],
  defineCommand({
    name: 'import-events',
    output: { records: ['imported-event[]'] },
    effects: 'stores',
    exitCodes: [6],
    summary: 'Import the meetings of a calendar into a local workspace',
    description:
      'Import the meetings of an iCalendar file (.ics) into a local workspace and print their ids. All-day and ' +
      'cancelled meetings are skipped. Running it again updates changed meetings. A meeting is listed once `kith ' +
      'workspace import-recording` has added a recording. See kith help meetings.',
    args: { file: { summary: 'iCalendar file, or - for stdin', completion: 'files' } },
    options: { encoding, ...databaseOptions },
    examples: ['workspace import-events calendar.ics', 'workspace import-events - --json < calendar.ics'],
    async run(session, { file, encoding, ...flags }) {
      if (file !== '-') findFormat(file, { '.ics': 'ics' });
      const calendar = await readText(session, file, encoding);
      const { workspace, database } = await openWorkspaceFile(session, flags);
      const { records, skipped, problems } = await workspace.importEvents(database, calendar);
      await reportSkipped(session, skipped);
      if (records.some(({ action }) => action === 'new')) {
        await session.messages.note(
          'Meetings appear in `kith meetings list` once they have a recording: kith workspace import-recording EVENT FILE',
        );
      }
      return { ...toRecordsResult(records, views.importedEvents), failure: createPartialFailure(problems) };
    },
  }),
  defineCommand({
    name: 'import-recording',
    output: { records: ['imported-recording'] },
    effects: 'stores',
    exitCodes: [3, 6],
    summary: 'Add or replace the transcript and summary of a meeting in a local workspace',
    description:
      'Add the transcript of a meeting to a local workspace: WebVTT (.vtt), SubRip (.srt), or the output of ' +
      '`kith meetings transcript --json` (.json). The file replaces the transcript of an earlier recording; ' +
      '--add adds another recording, and --recording selects one of several. --summary adds a summary too. If a ' +
      'cue cannot be read, the exit code is 6.',
    args: {
      event: { summary: 'Meeting ID, as printed by import-events' },
      file: { summary: 'Transcript file', completion: 'files' },
    },
    options: {
      summary: createTextOption('Summary file', 'FILE', { completion: 'files' }),
      language: createTextOption('Language of a .vtt or .srt file (default und)', 'CODE'),
      recording: createTextOption('Update this recording of the meeting', 'ID'),
      add: createFlag('Add another recording to the meeting'),
      encoding,
      ...databaseOptions,
    },
    rules: [conflicts('recording', 'add')],
    examples: [
      'workspace import-recording EVENT call.vtt',
      'workspace import-recording EVENT call.srt --summary notes.md --language ko',
      'workspace import-recording EVENT second-part.vtt --add',
    ],
    async run(session, { event, file, summary, language, recording, add, encoding, ...flags }) {
      if (language !== undefined && findFormat(file, transcriptFormats) === 'json') {
        const reason = 'works only with .vtt and .srt files; a .json file has its own language.';
        throw new Failure('usage', `--language ${reason}`);
      }
      const read = async <F>(file: string, formats: Readonly<Record<string, F>>) => ({
        format: findFormat(file, formats),
        ...(await readText(session, file, encoding)),
      });
      const files = {
        transcript: await read(file, transcriptFormats),
        summary: summary === undefined ? undefined : await read(summary, summaryFormats),
        language,
      };
      const { workspace, database } = await openWorkspaceFile(session, flags);
      const choice = { recording, isAdded: add };
      const { record, problems, notes } = await workspace.importRecording(database, event, files, choice);
      for (const note of notes) await session.messages.note(note);
      if (record.action === 'unchanged')
        await session.messages.note('The recording already exists; nothing was changed.');
      return { ...toRecordResult(record, views.importedRecording), failure: createPartialFailure(problems) };
    },
  }),
  defineCommand({
    name: 'remove-recording',
    output: { records: ['deletion', 'deletion[]', 'removable-recording[]'] },
    effects: 'erases',
    exitCodes: [3, 6],
    writingFlags: ['dryRun', 'yes'],
    describeInteraction: describeDeletePrompt,
    summary: 'Remove recordings from a local workspace',
    description:
      'Remove recordings, with their transcripts and summaries, from a local workspace. A meeting ' +
      'without a completed recording is not listed until `kith workspace import-recording` adds one.',
    args: { recording: { summary: 'Recording ID', isRepeatable: true } },
    options: databaseOptions,
    examples: ['workspace remove-recording RECORDING', 'workspace remove-recording RECORDING --yes --json'],
    async run(session, { recording, ...flags }) {
      const { workspace, database } = await openWorkspaceFile(session, flags);
      const { deleteEach } = await import('./undo/deletion.ts');
      const find = (id: string) => workspace.findRecording(database, id);
      return deleteEach(session, {
        noun: 'recordings',
        ids: recording,
        preview: async (ids) => {
          const recordings = await Promise.all(ids.map(find));
          const lines = recordings.map(
            ({ id, title, start_at }) => `delete recording ${id} (${title}, ${start_at})\n`,
          );
          return toTextResult(lines.join(''), recordings);
        },
        remove: async (id) => {
          await workspace.removeRecording(database, id);
          return id;
        },
        describe: async (id) => {
          const found = await find(id);
          const { labelRecord } = await import('../cli/writes/record-labels.ts');
          const consequence = found.isLast ? 'The meeting will no longer be listed.' : undefined;
          return { ...labelRecord('recordings', { ...found }, id), consequence };
        },
      });
    },
  }),
];

/** Reads a text as spreadsheets are read. `encoding` is that of a text that is not Unicode. */
async function readText(session: Session, file: string, encoding: string | undefined): Promise<TextFile> {
  const { decodeText, resolveEncoding } = await import('../import/text-encoding.ts');
  const foreign = encoding === undefined ? undefined : resolveEncoding(encoding);
  const name = file === '-' ? 'stdin' : file;
  const decode = (bytes: Buffer) => decodeText(bytes, name, isUtf8(bytes) ? undefined : foreign);
  const text = file === '-' ? session.streams.stdin.text(decode) : readTextFile(file, decode);
  return { name, text: await text };
}

/** Returns the failure for parts of a file that could not be read; undefined if there are none. */
function createPartialFailure(problems: readonly string[]): Failure | undefined {
  if (problems.length === 0) return undefined;
  const named = problems.slice(0, maxNamesInMessage).map((problem) => problem.replace(/\.$/, ''));
  const more = problems.length > named.length ? ` and ${problems.length - named.length} more` : '';
  const hint = 'Correct the file and run the command again. It updates what it has imported.';
  return new Failure('partial', `Not imported: ${named.join('; ')}${more}.`, { hint });
}

async function reportSkipped(session: Session, { all_day, cancelled, older }: SkippedEvents): Promise<void> {
  const parts = [
    all_day > 0 && formatCount(all_day, 'all-day event'),
    cancelled > 0 && formatCount(cancelled, 'cancelled event'),
    older > 0 && `${formatCount(older, 'older occurrence')} of meetings that repeat more than 1,000 times`,
  ].filter(Boolean);
  if (parts.length > 0) await session.messages.note(`Skipped: ${parts.join(', ')}.`);
}
