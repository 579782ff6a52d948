import { resolveWorkspaceLogs } from '../../cli/change-log.ts';
import type { Question, Session } from '../../cli/command/context.ts';
import { tryCall } from '../../cli/references/resolve-reference.ts';
import { formatName, labelRecord } from '../../cli/writes/record-labels.ts';
import { addErrorPrefix, type Failure } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import { pluralNouns } from '../../contract/singular-nouns.ts';
import { formatChange } from '../../render/import-plan.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { truncate } from '../../render/text/width.ts';
import { readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { fromBody, hasSentValues, isAddressField, pickSentValues } from '../../writes/bodies.ts';
import { listLogs } from '../../writes/log-files.ts';
import { matchWrite, nouns, readRecord, type Write } from '../../writes/nouns.ts';
import { flatten } from '../../writes/values.ts';
import { maxShown } from '../undo/plan-text.ts';
import { type BatchLine, parseCall } from './read-batch.ts';
import { type CallValues, replaceReferences } from './references.ts';
import { runLine } from './run-line.ts';

/** Maximum columns of a description. */
const maxColumns = 300;

/** Returns the question about the lines of an agent: the values before and after each write. */
export async function planLines(session: Session, lines: readonly BatchLine[]): Promise<Question> {
  const preview = session.derive({ globals: { ...session.globals, dryRun: true } });
  const changes: string[] = [];
  for (const line of lines) changes.push(sanitizeLine(`${line.line}. ${await describeLine(preview, line)}`));
  const others = changes.length - maxShown;
  const shown = [
    ...changes.slice(0, maxShown).map((change) => truncate(change, maxColumns)),
    ...(others > 0 ? [`and ${formatCount(others, 'more change')}`] : []),
    `Write ${formatCount(lines.length, 'record')}?`,
  ];
  // Each run has a new log, so that an answer about new records allows only one run.
  const [lastLog] = listLogs(await resolveWorkspaceLogs(session));
  return { text: shown.join('\n'), seen: [...changes, lastLog?.number] };
}

async function describeLine(session: Session, line: BatchLine): Promise<string> {
  const { data, failure } = await previewLine(session, line);
  if (failure) return `${line.name}: ${failure.message}`;
  // A line that would write nothing has a record instead of a request.
  const isRequest = (value: unknown): value is WireRequest => readObject(value).method !== undefined;
  const writes = [data?.value].flat().flatMap((value) => (isRequest(value) && matchWrite(value)) || []);
  const changes: string[] = [];
  for (const write of writes) changes.push(await describeWrite(session, write));
  const { fields: _, ...values } = line.values;
  const typed = Object.entries(values).map(([field, to]) => formatChange({ field, to }));
  return changes.join('; ') || `${line.name}: ${typed.join(', ')}`;
}

/** Describes a write with the values before and after it: `update entry DEAL-1 (m7lwpy): status: Lead -> Won`. */
async function describeWrite(session: Session, write: Write): Promise<string> {
  const { noun, action, body, id = '' } = write;
  const before = action === 'create' ? undefined : await readRecord(await session.client(), write);
  const label = before ? ` ${formatName(labelRecord(pluralNouns[noun], before, id))}` : '';
  const title = `${action} ${nouns[noun].title}${label}`;
  if (before && action === 'update' && hasSentValues(body, before)) return `${title}: unchanged`;
  const earlier = before && action === 'update' ? flatten(pickSentValues(body, before)) : undefined;
  const changes = Object.entries(flatten(fromBody(body))).map(([field, to]) => {
    const added = isAddressField(field); // an update adds addresses, and replaces other values
    return formatChange({
      field,
      to,
      ...(earlier && (added ? { added } : { from: earlier[field] ?? null })),
    });
  });
  return `${title}: ${changes.join(', ')}`;
}

/**
 * Returns the requests of a line: none if it refers to an earlier line, or the failure if it names a record that does
 * not exist. An earlier line may create that record.
 */
export async function previewLine(
  session: Session,
  line: BatchLine,
): Promise<{ readonly data?: RawJson; readonly failure?: Failure }> {
  if (line.referencedLines.length > 0) return {};
  try {
    const parsed = await parseCall(session, line, replaceReferences(line.values, () => '') as CallValues);
    const result = await tryCall(() => runLine(session, parsed));
    return 'value' in result ? { data: result.value.data } : result;
  } catch (error) {
    throw addErrorPrefix(`line ${line.line}`, error);
  }
}
