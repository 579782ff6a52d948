import { type CommandResult, defineCommand, toMessageResult, toTextResult } from '../cli/command/command.ts';
import {
  createChoiceOption,
  createFileModeOption,
  createFlag,
  createIntegerOption,
  createTextOption,
  makeRepeatable,
  withDefault,
} from '../cli/command/options.ts';
import { atLeastOne, conflicts } from '../cli/command/rules.ts';
import { identifyWorkspace } from '../cli/connect/connection.ts';
import { meetingOptions, moment } from '../cli/flags/moment.ts';
import { withProgress } from '../cli/progress/progress.ts';
import { Failure } from '../contract/errors.ts';
import type { ExportResult } from '../export/export-result.ts';
import { layouts } from '../export/layout.ts';
import { extraFormats } from '../export/meeting-files.ts';
import type { FolderStatus } from '../export/status.ts';
import { toPermissions } from '../files/permissions.ts';
import { formatCount, formatInteger } from '../values/text.ts';
import { ledgerOption } from './actions/ledger-option.ts';

const settle = withDefault(
  createIntegerOption('Days to keep checking for unfinished recordings', 'DAYS', 0, 3650),
  14,
);
const folder = { summary: 'Export folder', completion: 'folders' } as const;

export const eventsExport = [
  defineCommand({
    name: 'export',
    summary: 'Export meeting summaries as Markdown files',
    description:
      'Export the summary of every meeting as a Markdown file with YAML front matter. Later runs fetch only new ' +
      'and changed meetings. Files that you edited stay: the new text is written to a .new.md file. No file is ' +
      'deleted without --prune. If a meeting fails, the exit code is 6, and the next run retries it.',
    output: { text: ['export-result'] },
    isFileBased: true,
    effects: 'prunes',
    writingFlags: ['yes'],
    exitCodes: [6],
    options: {
      out: createTextOption('Output folder (created if missing)', 'DIR', { completion: 'folders' }),
      transcript: createFlag('Include the transcript in the Markdown'),
      with: makeRepeatable(createChoiceOption('Additional formats to write:', extraFormats, 'KIND')),
      layout: withDefault(createChoiceOption('Folder layout:', layouts, 'LAYOUT'), 'flat'),
      contact: meetingOptions.contact,
      organization: meetingOptions.organization,
      since: moment('Export only meetings updated after this time', 'latest'),
      tz: meetingOptions.tz,
      full: createFlag('Fetch everything again, and rebuild a damaged ledger'),
      ledger: ledgerOption,
      prune: createFlag(
        'Delete files of meetings no longer on the service; requires --yes for more than 10% of all files',
      ),
      adopt: createFlag('Take over a folder exported from this workspace with another key or base URL'),
      settle,
      mode: withDefault(createFileModeOption('File permissions in octal (no effect on Windows)'), '0600'),
      concurrency: withDefault(createIntegerOption('Number of meetings to fetch in parallel', 'N', 1, 32), 4),
    },
    rules: [
      atLeastOne('out'),
      conflicts('full', 'since'),
      conflicts('prune', 'since', 'contact', 'organization'),
    ],
    examples: [
      'meetings export --out meetings',
      'meetings export --out meetings --transcript --with json --layout by-month',
      'meetings export --out meetings --quiet --json',
    ],
    async run(session, options) {
      const { exportMeetings } = await import('../export/export.ts');
      const { loadActionLedger, resolveLedgerFile } = await import('./actions/ledger-file.ts');
      const path = await resolveLedgerFile(session, options.ledger);
      const actions = { path, ledger: await loadActionLedger(session, path) };
      const { out = '', contact, organization, since, tz, transcript, with: formats = [] } = options;
      const result = await withProgress(session, async (update) =>
        exportMeetings({
          client: await session.client(),
          workspace: await identifyWorkspace(session),
          adopt: options.adopt,
          folder: out,
          permissions: toPermissions(Number.parseInt(options.mode, 8)),
          contents: { transcript, with: [...new Set(formats)] },
          layout: options.layout,
          filter: { contact_id: contact, organization_id: organization },
          since: since?.({ now: session.runtime.now(), zone: tz }),
          full: options.full,
          prune: options.prune && (session.globals.yes ? 'all' : true),
          settle: options.settle,
          concurrency: options.concurrency,
          holder: session.runtime.lockHolder,
          actions,
          onDamagedLedger: (path) =>
            session.messages.warn(
              `The ledger of ${out} is damaged. It was moved to ${path}; this run rebuilds it.`,
            ),
          onProgress: (done, total) => update({ verb: 'Exporting', done, total, unit: 'meeting' }),
        }),
      );
      for (const text of formatNotes(result)) await session.messages.note(text);
      for (const { id, name, is_new } of result.unavailable)
        if (is_new)
          await session.messages.warn(
            `${name}: the service lists the recording ${id} but does not have it (404).`,
          );
      return {
        ...toMessageResult(session, `${out}: ${formatCounts(result)}\n`, result),
        failure: result.failed.length > 0 ? partialFailure(result.failed) : undefined,
      };
    },
  }),
  defineCommand({
    name: 'export status',
    exitCodes: [3, 6],
    summary: 'Show the status of an export folder',
    description:
      'Count the exported, pending, late, failed and deleted meetings of an export folder, and its edited and missing ' +
      'files. Reads only the ledger and the files, not the service. Exits with 6 if a meeting is late or failed.',
    output: { text: ['export-status'] },
    isFileBased: true,
    effects: 'local',
    args: { folder },
    options: { settle },
    examples: ['meetings export status meetings'],
    async run({ runtime: { now } }, { folder, settle }) {
      const { readFolderStatus } = await import('../export/status.ts');
      const status = await readFolderStatus(folder, settle, now());
      const problems = status.late.length + status.failed.length;
      return formatStatus(
        folder,
        status,
        problems,
        `${formatCount(problems, 'recording or meeting is', 'recordings or meetings are')} late or failed.`,
      );
    },
  }),
  defineCommand({
    name: 'export verify',
    exitCodes: [6],
    summary: 'Compare an export folder with the service',
    description:
      'Compare the files in an export folder with its ledger, and the ledger with the meetings on the service. ' +
      'Downloads no transcripts. Exits with 6 if there are differences.',
    output: { text: ['verified-export'] },
    isFileBased: true,
    args: { folder },
    options: { settle },
    examples: ['meetings export verify meetings'],
    async run(session, { folder, settle }) {
      const { verifyFolder } = await import('../export/status.ts');
      const [client, access] = [await session.client(), await identifyWorkspace(session)];
      const status = await verifyFolder(client, access, folder, settle, session.runtime.now());
      const { late, failed, edited, missing, changed, new: added, unlisted } = status;
      const problems = [late, failed, edited, missing, changed, added, unlisted].flat().length;
      return formatStatus(folder, status, problems, `Found ${formatCount(problems, 'difference')}.`);
    },
  }),
];

function formatNotes({ edited, skipped, pruned: { files, meetings, unused } }: ExportResult): string[] {
  const notes = [
    ...edited.map(
      (name) => `${name} was edited, so it is not overwritten; the new text is in a .new file next to it.`,
    ),
    ...skipped.map(({ name, reason }) => `${name}: ${reason}`),
    files > 0 &&
      `Deleted ${formatCount(files, 'file')} of ${formatCount(meetings, 'meeting')} no longer on the service.`,
    unused > 0 && `Deleted ${formatCount(unused, 'unused file')} of earlier export options.`,
  ];
  return notes.filter((note) => note !== false);
}

const count = (items: number | readonly unknown[]) => (typeof items === 'number' ? items : items.length);

/** Formats the counts of a run. Rare kinds are named only if their count is not zero. */
function formatCounts(result: ExportResult): string {
  const always = ['new', 'updated', 'unchanged', 'pending'] as const;
  const rare = (['late', 'deleted_upstream', 'unavailable', 'edited'] as const).filter(
    (kind) => count(result[kind]) > 0,
  );
  return formatKinds([...always, ...rare, 'failed' as const].map((kind) => [kind, result[kind]]));
}

const formatKinds = (kinds: readonly (readonly [kind: string, items: number | readonly unknown[]])[]) =>
  kinds.map(([kind, items]) => `${formatInteger(count(items))} ${kind.replaceAll('_', ' ')}`).join(', ');

function partialFailure(failed: ExportResult['failed']): Failure {
  return new Failure('partial', `Not exported: ${failed.map(formatItem).join('; ')}`, {
    hint: 'Run the command again to retry only these meetings.',
  });
}

type StatusItem = FolderStatus['pending'][number];

function formatStatus(
  folder: string,
  status: FolderStatus,
  problems: number,
  message: string,
): CommandResult {
  const kinds: (readonly [string, number | readonly (string | StatusItem)[]])[] = Object.entries(status);
  const lines = kinds.flatMap(([kind, items]) =>
    typeof items === 'number' ? [] : items.map((item) => `${kind}: ${formatItem(item)}`),
  );
  return {
    ...toTextResult([`${folder}: ${formatKinds(kinds)}`, ...lines, ''].join('\n'), status),
    failure: problems > 0 ? new Failure('partial', message) : undefined,
  };
}

function formatItem(item: string | StatusItem): string {
  if (typeof item === 'string') return item;
  const { id, title, reason } = item;
  return `${id} "${title}"${reason ? ` (${reason})` : ''}`;
}
