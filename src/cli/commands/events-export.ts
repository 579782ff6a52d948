import { Failure } from '../../contract/errors.ts';
import type { ExportResult } from '../../export/export-result.ts';
import { layouts } from '../../export/layout.ts';
import { extraFormats } from '../../export/meeting-files.ts';
import type { FolderComparison } from '../../export/ownership.ts';
import type { FolderStatus } from '../../export/status.ts';
import { toPermissions } from '../../files/permissions.ts';
import { sanitizeLine } from '../../render/sanitize.ts';
import { type CommandResult, defineCommand, toTextResult } from '../command.ts';
import { resolveWorkspaceAccess } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { moment, timeZoneOption } from '../flags/moment.ts';
import { choice, fileMode, flag, integer, repeated, text, withDefault } from '../flags/options.ts';
import { atLeastOne, conflicts } from '../flags/rules.ts';
import { isInteractive, prompt } from '../interaction.ts';
import { startProgress } from '../print/progress.ts';

const settle = withDefault(
  integer('Days for which a recording that is not done is asked for again', 'DAYS', { min: 0, max: 3650 }),
  14,
);
const folder = { summary: 'The folder of an export', completion: 'folders' } as const;

export const eventsExport = [
  defineCommand({
    name: 'export',
    summary: 'Write the summary of every meeting into a folder, a Markdown file each',
    description:
      'Write the summary of every meeting into a folder, a Markdown file each, with the facts of the meeting ' +
      'as YAML front matter. Run again, it fetches what is new or has changed, as its ledger in the folder says. ' +
      'A file that you edited is left alone, and the new text goes beside it; no file is deleted unless --prune ' +
      'says so. Ends with exit code 6 when some meetings failed; the next run fetches those.',
    output: 'text',
    isFileBased: true,
    isLocalDeletion: true,
    options: {
      out: text('The folder; it is made where it is not there', 'DIR', { completion: 'folders' }),
      transcript: flag('The transcript in the Markdown too'),
      with: repeated(choice('Beside the Markdown:', extraFormats, 'KIND')),
      layout: withDefault(choice('How the files lie in the folder:', layouts, 'LAYOUT'), 'flat'),
      contact: text('Only meetings with this contact as an attendee', 'ID'),
      organization: text('Only meetings with an attendee from this organization', 'ID'),
      since: moment('Only meetings updated after this time, whatever was exported before'),
      tz: timeZoneOption,
      full: flag('Fetch everything again; move a damaged ledger aside and rebuild it'),
      prune: flag(
        'Delete files of meetings no longer on the service; more than a tenth of all files requires --yes',
      ),
      adopt: flag('Take over a folder that was exported from this workspace with another key or base URL'),
      settle,
      mode: withDefault(
        fileMode('Permissions of the written files, in octal (no effect on Windows)'),
        '0600',
      ),
      concurrency: withDefault(integer('Meetings fetched at once', 'N', { min: 1, max: 32 }), 4),
    },
    rules: [
      atLeastOne('out'),
      conflicts('full', 'since'),
      conflicts('prune', 'since'),
      conflicts('prune', 'contact'),
      conflicts('prune', 'organization'),
    ],
    examples: [
      'events export --out meetings',
      'events export --out meetings --transcript --with json --layout by-month',
      'events export --out meetings --quiet --json',
    ],
    async run(session, given) {
      const { exportMeetings } = await import('../../export/export.ts');
      const { out = '', contact, organization, since, tz, transcript, with: wanted = [] } = given;
      const progress = startProgress(session);
      try {
        const exported = await exportMeetings({
          client: await session.client(),
          workspace: await resolveWorkspaceAccess(session),
          adopt: given.adopt ? (found) => confirmAdoption(session, out, found) : undefined,
          folder: out,
          permissions: toPermissions(Number.parseInt(given.mode, 8)),
          contents: { transcript, with: [...new Set(wanted)] },
          layout: given.layout,
          filter: { contact_id: contact, organization_id: organization },
          since: since?.({ now: session.now(), zone: tz }),
          full: given.full,
          prune: given.prune && (session.globals.yes ? 'all' : true),
          settle: given.settle,
          concurrency: given.concurrency,
          holder: session.lockHolder,
          onDamagedLedger: (path) =>
            session.warn(`The ledger of ${out} is damaged. It was moved to ${path}; this run rebuilds it.`),
          onProgress: (done, total) =>
            progress.update(`Exporting ${done}${total ? ` of ${total}` : ''} meetings`),
        });
        for (const text of formatNotes(exported)) await session.note(text);
        for (const text of formatUnavailable(exported)) await session.warn(text);
        return {
          ...toTextResult(session.globals.quiet ? '' : `${out}: ${formatCounts(exported)}\n`, exported),
          failure: exported.failed.length > 0 ? partialFailure(exported.failed) : undefined,
        };
      } finally {
        progress.end();
      }
    },
  }),
  defineCommand({
    name: 'export status',
    summary: 'Show how the folder of an export stands',
    description:
      'Show how the folder of an export stands by its ledger: what is exported, pending, late, failed, edited or ' +
      'missing. It asks nobody. Ends with exit code 6 when something is late or failed.',
    output: 'text',
    isFileBased: true,
    isLocal: true,
    args: { folder },
    options: { settle },
    examples: ['events export status meetings'],
    async run({ now }, { folder, settle }) {
      const { readFolderStatus } = await import('../../export/status.ts');
      const status = await readFolderStatus(folder, settle, now());
      const wrong = status.late.length + status.failed.length;
      return formatStatus(folder, status, wrong, `${wrong} recordings or meetings are late or failed.`);
    },
  }),
  defineCommand({
    name: 'export verify',
    summary: 'Compare the folder of an export with the service',
    description:
      'Compare the folder of an export with its ledger, and that with the meetings of the service; no transcript ' +
      'is downloaded. Ends with exit code 6 when anything differs.',
    output: 'text',
    isFileBased: true,
    args: { folder },
    options: { settle },
    examples: ['events export verify meetings'],
    async run(session, { folder, settle }) {
      const { verifyFolder } = await import('../../export/status.ts');
      const [client, access] = [await session.client(), await resolveWorkspaceAccess(session)];
      const status = await verifyFolder(client, access, folder, settle, session.now());
      const { late, failed, edited, missing, changed, new: added, unlisted } = status;
      const wrong = [late, failed, edited, missing, changed, added, unlisted].flat().length;
      return formatStatus(folder, status, wrong, `The folder and the service differ in ${wrong} points.`);
    },
  }),
];

/** Says what a folder to be taken over contains, and asks for confirmation if another workspace may own it. */
async function confirmAdoption(session: Session, out: string, found: FolderComparison): Promise<void> {
  const { workspace, meetings, known, isRecognized } = found;
  const line = `This workspace has ${known} of the ${meetings} meetings in ${out}, exported from ${workspace}.`;
  if (isRecognized || session.globals.yes) return session.note(line);
  if (!isInteractive(session)) {
    throw new Failure('usage', line, { hint: 'To take over the folder anyway, also pass --yes.' });
  }
  const question = sanitizeLine(`${line} Take over the folder?`);
  if (!(await prompt(({ confirm }) => confirm(question), session)))
    throw new Failure('cancelled', 'Cancelled.');
}

/** What a person should know of single files. */
function formatNotes({ edited, refused }: ExportResult): string[] {
  return [
    ...edited.map(
      (name) => `${name} was edited here: it is left as it is, and the new text stands beside it.`,
    ),
    ...refused.map(({ name, reason }) => `${name}: ${reason}`),
  ];
}

/** Returns a warning for each recording that this run found to be lost. */
function formatUnavailable({ lost }: ExportResult): string[] {
  return lost
    .filter(({ is_new }) => is_new)
    .map(({ id, name }) => `${name}: the service lists the recording ${id} but does not have it (404).`);
}

/** The counts of a run in one line; what is seldom is named only where it is. */
function formatCounts(exported: ExportResult): string {
  const { failed, late, gone, edited, lost } = exported;
  const always = ['new', 'updated', 'unchanged', 'pending'] as const;
  const seldom = { late, gone, lost: lost.length, edited: edited.length };
  return [
    ...always.map((kind) => `${exported[kind]} ${kind}`),
    ...Object.entries(seldom).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : [])),
    `${failed.length} failed`,
  ].join(', ');
}

function partialFailure(failed: ExportResult['failed']): Failure {
  const named = failed.map(({ id, title, reason }) => `${id} "${title}" (${reason})`);
  return new Failure('partial', `Not exported: ${named.join('; ')}`, {
    hint: 'Run it again: it fetches those alone, the rest is safe.',
  });
}

/** How a folder stands, in a line of counts and a line for each thing that a person should know. */
function formatStatus(folder: string, status: FolderStatus, wrong: number, message: string): CommandResult {
  const counts = Object.entries(status).map(
    ([kind, told]) => `${Array.isArray(told) ? told.length : told} ${kind}`,
  );
  const lines = Object.entries(status).flatMap(([kind, told]) =>
    Array.isArray(told)
      ? told.map((one) => `${kind}: ${typeof one === 'string' ? one : formatItem(one)}`)
      : [],
  );
  const text = [`${folder}: ${counts.join(', ')}`, ...lines].map((line) => `${line}\n`).join('');
  return { ...toTextResult(text, status), failure: wrong > 0 ? new Failure('partial', message) : undefined };
}

function formatItem({ id, title, reason }: { id: string; title: string; reason?: string }): string {
  return `${id} "${title}"${reason ? ` (${reason})` : ''}`;
}
