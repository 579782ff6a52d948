import { type CommandResult, toBatch, toRecordsResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { confirmDeletion, confirmPlan } from '../../cli/command/interaction.ts';
import { readFirst } from '../../cli/command/records.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { hasWriteNotes } from '../../cli/writes/writing.ts';
import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { createPlainColumn, type View } from '../../render/columns.ts';
import { readObject } from '../../values/json-object.ts';
import { joinMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { planLines, previewLine } from './plan-lines.ts';
import { type BatchLine, parseLines, readBatch } from './read-batch.ts';
import { BatchRun, toLineRecord } from './run-batch.ts';

interface BatchInput {
  readonly file?: string | undefined;
  /** The lines, instead of a file. */
  readonly line: readonly string[] | undefined;
  readonly parallel: number;
  readonly stopOnError: boolean;
}

const columns = [
  createPlainColumn('line'),
  createPlainColumn('command'),
  createPlainColumn('status'),
  createPlainColumn('id', { cell: ({ data }) => readObject(data).id ?? '' }),
  createPlainColumn('error', { cell: ({ error }) => readObject(error).message ?? '' }),
];

const lineView: View = () => columns;

/** Runs a batch, and returns the results of its lines as they arrive. */
export async function runBatch(
  session: Session,
  { file, line: texts = [], ...options }: BatchInput,
): Promise<CommandResult> {
  const { globals } = session;
  if (globals.idsOnly) throw new Failure('usage', 'A batch does not support --ids-only. Use --jq .data.id.');
  if ((file === undefined) === (texts.length === 0))
    throw new Failure('usage', 'Pass either FILE or --line.', { hint: 'See kith batch --help.' });
  const lines = await (file === undefined ? parseLines(session, texts, '') : readBatch(session, file));
  const { stdout } = session.streams;
  const defaults = { view: lineView, ...(!stdout.isTerminal && { defaultFormat: 'ndjson' as const }) };
  if (lines.length === 0) {
    await session.messages.note(`${file === '-' ? 'stdin' : file} has no lines.`);
    return { ...toRecordsResult([], lineView), ...defaults, isReadOnly: true };
  }
  if (globals.dryRun)
    return { kind: 'records', batches: toBatch(await previewLines(session, lines)), ...defaults };
  const deletions = lines.filter(({ isDeletion }) => isDeletion).length;
  if (isForAgent(session)) await confirmPlan(session, 'write', () => planLines(session, lines));
  else if (deletions > 0)
    await confirmDeletion(session, async () => ({
      text: `Run ${formatCount(lines.length, 'command')}, of which ${formatCount(deletions, 'deletes records', 'delete records')}?`,
    }));
  const run = new BatchRun(session, lines, options);
  const { batches } = await readFirst(printLines(session, run, lines.length));
  return {
    kind: 'records',
    batches,
    ...defaults,
    get failure() {
      return run.failure;
    },
  };
}

/** Whether the lines come from an agent, whose user has not seen them. */
const isForAgent = ({ terminal }: Session) => terminal.requestConsent !== undefined;

/** Yields the results one by one, or at once for a table. */
async function* printLines(session: Session, run: BatchRun, total: number): AsyncGenerator<Batch> {
  const { globals } = session;
  const { format, json, jq, idsOnly } = globals;
  const isTable =
    format === 'table' ||
    isForAgent(session) || // it may read only the first results, and all lines must run
    (session.streams.stdout.isTerminal && !json && !idsOnly && format === undefined && jq === undefined);
  let records: RawJson[] = [];
  if (isTable)
    await withProgress(session, async (update) => {
      for await (const result of run.run()) {
        records.push(toLineRecord(result, session.runtime.now()));
        update({ verb: 'Running', done: run.summary.total, total, unit: 'line' });
      }
    });
  else
    for await (const result of run.run()) {
      yield { records: [toLineRecord(result, session.runtime.now())], total: undefined, hasMore: false };
    }
  if (records.length > 0) yield { records, total: undefined, hasMore: false };
  records = [];
  if (hasWriteNotes(session) && run.summary.total === total)
    await session.messages.note(run.summary.describe('done', total));
}

/** Returns the requests of the lines. A line that depends on an earlier one has none, because nothing is sent. */
async function previewLines(session: Session, lines: readonly BatchLine[]): Promise<RawJson[]> {
  const records: RawJson[] = [];
  for (const line of lines) {
    const { data } = await previewLine(session, line);
    records.push(
      joinMembers([
        ['line', toRawJson(line.line)],
        ['command', toRawJson(line.name)],
        ['status', toRawJson('planned')],
        ...(data ? [['data', data] as const] : []),
      ]),
    );
  }
  return records;
}
