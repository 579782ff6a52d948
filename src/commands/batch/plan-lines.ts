import type { Question, Session } from '../../cli/command/context.ts';
import { tryCall } from '../../cli/references/resolve-reference.ts';
import { formatName, labelRecord } from '../../cli/writes/record-labels.ts';
import type { Failure } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import { pluralNouns } from '../../contract/singular-nouns.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { fromBody, hasSentValues, pickSentValues } from '../../writes/bodies.ts';
import { matchWrite, nouns, readRecord, type Write } from '../../writes/nouns.ts';
import { flatten } from '../../writes/values.ts';
import { formatValue } from '../undo/plan-text.ts';
import { type BatchLine, parseCall } from './read-batch.ts';
import { type CallValues, replaceReferences } from './references.ts';
import { runLine } from './run-line.ts';

/** Maximum number of lines that a question describes. */
const maxDescribed = 50;

/** Returns the question about the lines of an agent: the values before and after each write. */
export async function planLines(session: Session, lines: readonly BatchLine[]): Promise<Question> {
  const preview = session.derive({ globals: { ...session.globals, dryRun: true } });
  const changes: string[] = [];
  for (const line of lines) changes.push(sanitizeLine(`${line.line}. ${await describeLine(preview, line)}`));
  const others = changes.length - maxDescribed;
  const shown = [
    ...changes.slice(0, maxDescribed),
    ...(others > 0 ? [`and ${formatCount(others, 'more change')}`] : []),
    `Write ${formatCount(lines.length, 'record')}?`,
  ];
  return { text: shown.join('\n'), seen: changes };
}

async function describeLine(session: Session, line: BatchLine): Promise<string> {
  const { data, failure } = await previewLine(session, line);
  if (failure) return `${line.name}: ${failure.message}`;
  // A line that would write nothing has a record instead of a request.
  const isRequest = (value: unknown): value is WireRequest => readObject(value).method !== undefined;
  const writes = [data?.value].flat().flatMap((value) => (isRequest(value) && matchWrite(value)) || []);
  const changes: string[] = [];
  for (const write of writes) changes.push(await describeChange(session, write));
  const { fields: _, ...values } = line.values;
  return changes.join('; ') || `${line.name}: ${formatValues(values)}`;
}

/** Describes a write with the values before and after it. */
async function describeChange(session: Session, write: Write): Promise<string> {
  const { noun, action, body, id = '' } = write;
  const before = action === 'create' ? undefined : await readRecord(await session.client(), write);
  const label = before ? ` ${formatName(labelRecord(pluralNouns[noun], before, id))}` : '';
  const title = `${action} ${nouns[noun].title}${label}`;
  if (before && action === 'update' && hasSentValues(body, before)) return `${title}: unchanged`;
  const earlier = before && action === 'update' ? flatten(pickSentValues(body, before)) : {};
  const values = formatValues(flatten(fromBody(body)), earlier);
  return values === '' ? title : `${title}: ${values}`;
}

/** Formats values by name, after the earlier ones that are known: `status: Lead -> Won`. */
function formatValues(values: JsonObject, earlier: JsonObject = {}): string {
  const texts = Object.entries(values).map(([name, value]) => {
    const from = Object.hasOwn(earlier, name) ? `${formatValue(earlier[name])} -> ` : '';
    return `${name}: ${from}${formatValue(value)}`;
  });
  return texts.join(', ');
}

/**
 * Returns the requests of a line; none if it refers to an earlier line, and the failure if it names a record that does
 * not exist, which an earlier line may create.
 */
export async function previewLine(
  session: Session,
  line: BatchLine,
): Promise<{ readonly data?: RawJson; readonly failure?: Failure }> {
  if (line.referencedLines.length > 0) return {};
  const parsed = await parseCall(session, line, replaceReferences(line.values, () => '') as CallValues);
  const result = await tryCall(() => runLine(session, parsed));
  return 'value' in result ? { data: result.value.data } : result;
}
