import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive, requireConsent } from '../../cli/command/interaction.ts';
import { readTableStyle } from '../../cli/print/format-records.ts';
import { startRun } from '../../cli/write-run.ts';
import { formatLabel, labelRecord } from '../../cli/writes/record-labels.ts';
import { previewWrites, showsPlan, writeRecord } from '../../cli/writes/writing.ts';
import type { TaggedRecord } from '../../client/responses.ts';
import { Failure } from '../../contract/errors.ts';
import { buildRequest, type Route } from '../../contract/grammar.ts';
import { collectReferences, type GetName, type Reference } from '../../render/collect-references.ts';
import { renderChanges, type ValueChange } from '../../render/edit/changes.ts';
import { views } from '../../render/views.ts';
import { once } from '../../values/concurrency.ts';
import { readObject } from '../../values/json-object.ts';
import { buildWrites, type FieldChange, mergeChanges } from './edit-document.ts';
import type { EditField, EditTarget } from './edit-nouns.ts';
import { type Correction, createCorrection, type EditedText, type EditOutcome } from './edit-text.ts';
import { formatEditValue } from './edit-values.ts';

/** Describes the record in words: `entry DEAL-1 (m7lwpy)`. */
export const labelTarget = ({ noun, record, path }: EditTarget) =>
  formatLabel(noun, labelRecord(noun, readObject(record.value), Object.values(path).at(-1) ?? ''));

interface SendOptions {
  readonly names: { readonly getName: GetName; load(references: readonly Reference[]): Promise<void> };
  readonly listFields: (record: unknown) => readonly EditField[];
}

/** Shows the changes of a record, asks, and sends them. */
export class ChangeSender {
  readonly #session: Session;
  readonly #target: EditTarget;
  readonly #options: SendOptions;
  /** The record as the service returned it last. */
  #current: TaggedRecord;

  constructor(session: Session, target: EditTarget, options: SendOptions) {
    this.#session = session;
    this.#target = target;
    this.#options = options;
    this.#current = target.record;
  }

  listCurrentFields(): readonly EditField[] {
    return this.#options.listFields(this.#current.value);
  }

  /** Sends the changes in an edited text, or returns what to correct in it. */
  async send(changes: readonly FieldChange[], edited: EditedText): Promise<EditOutcome<CommandResult>> {
    const session = this.#session;
    const { path, routes } = this.#target;
    const { body, removals } = buildWrites(changes);
    // Values are added before others are removed, so that a failure loses no value.
    const writes: Write[] = Object.keys(body).length > 0 ? [[routes.update, body]] : [];
    if (Object.keys(removals).length > 0 && routes.removal) writes.push([routes.removal, removals]);
    if (writes.length === 0) {
      await session.messages.note('Nothing changed; nothing was sent.');
      return { result: { ...this.#showCurrent(), isReadOnly: true } };
    }
    const { dryRun, yes } = session.globals;
    const isAsked = isInteractive(session) && !yes && !dryRun;
    if (showsPlan(session, isAsked)) await this.#show(changes);
    if (dryRun)
      return {
        result: await previewWrites(
          session,
          writes.map(([route, body]) => buildRequest(route, { ...body, ...path })),
        ),
      };
    if (isAsked) await requireConsent(session, 'Send these changes?');
    // Without an editor, the record was read just before.
    const conflict = edited.hasEditor ? await this.#findConflicts(changes, edited) : undefined;
    if (conflict) return conflict;
    try {
      return { result: await this.#sendAll(writes) };
    } catch (error) {
      const correction = edited.hasEditor && error instanceof Failure && createRefusal(edited, error);
      if (!correction) throw error;
      return correction;
    }
  }

  async #show(changes: readonly FieldChange[]): Promise<void> {
    const formatted = await this.#format(changes);
    const { stderr } = this.#session.streams;
    const style = await readTableStyle(stderr, this.#session);
    await stderr.write(`Changes to ${labelTarget(this.#target)}:\n${renderChanges(formatted, style)}`);
  }

  async #format(changes: readonly FieldChange[]): Promise<ValueChange[]> {
    const { names } = this.#options;
    const format = (getName: GetName) => changes.map((change) => formatChange(change, getName));
    await names.load(collectReferences(format));
    return format(names.getName);
  }

  /** Reads the record again, and returns what to correct if it has changed in the same fields. */
  async #findConflicts(changes: readonly FieldChange[], edited: EditedText): Promise<Correction | undefined> {
    const { routes, path } = this.#target;
    this.#current = await (await this.#session.client()).record(routes.get, path);
    const fields = changes.map(({ field }) => field);
    const { conflicts } = mergeChanges(changes, fields, this.listCurrentFields());
    if (conflicts.length === 0) return undefined;
    const formatted = await this.#format(conflicts);
    const show = (value: string | undefined) => (value === undefined ? 'no value' : `"${value}"`);
    const names = formatted.map(({ name }) => name).join(', ');
    return createCorrection(
      edited,
      'Nothing was sent: the record has changed on the service. To overwrite the new values, delete these lines and save.',
      formatted.map(({ name, before, after }) => ({ message: `${name}: ${show(before)} -> ${show(after)}` })),
      new Failure('refused', `The record has changed on the service since you opened it: ${names}.`),
    );
  }

  async #sendAll(writes: readonly Write[]): Promise<CommandResult> {
    const { noun, path } = this.#target;
    let result: CommandResult = this.#showCurrent();
    let { etag } = this.#current;
    const settings = { concurrency: 1, isRecordedByClient: true };
    const { run, session, close } = await startRun(this.#session, settings, async () => ({}));
    const createClient = () =>
      session.connections.createInterceptedClient(async (request) => {
        const { response } = await run.intercept(request, async () => (await session.client()).send(request));
        return response;
      });
    const runSession = { ...session, client: once(createClient) };
    try {
      for (const [route, body] of writes) {
        result = await writeRecord(runSession, noun, route, path, body, { ifMatch: etag });
        if (result.kind === 'record') this.#current = result.record;
        etag = result.kind === 'record' ? this.#current.etag : undefined; // the service would refuse an earlier version's tag
      }
    } finally {
      close();
    }
    return { ...result, failure: run.stop };
  }

  #showCurrent() {
    return { kind: 'record', record: this.#current, view: views[this.#target.noun] } as const;
  }
}

type Write = readonly [route: Route, body: Readonly<Record<string, unknown>>];

/** Formats a change for a person. */
export function formatChange(
  { field: { name, type, value }, after }: FieldChange,
  getName: GetName,
): ValueChange {
  return {
    name,
    before: formatEditValue(value, type, getName),
    after: formatEditValue(after, type, getName),
  };
}

/** Returns what to correct after the service refused the changes; undefined if another text would not help. */
function createRefusal(edited: EditedText, failure: Failure): Correction | undefined {
  const { code, message, detail } = failure;
  if (code === 'changed') {
    const advice = 'To send your changes to the new version, delete these lines and save.';
    const intro = 'The service refused the changes: someone else has just changed the record.';
    return createCorrection(edited, intro, [{ message: advice }], failure);
  }
  if (code !== 'invalid') return undefined;
  const intro = 'The service refused the changes. Correct the following and save:';
  return createCorrection(edited, intro, detail.fieldErrors ?? [{ message }], failure);
}
