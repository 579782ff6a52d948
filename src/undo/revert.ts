import { Failure, type FieldError } from '../contract/errors.ts';
import { toPathKey } from '../records/path.ts';
import { isFieldContainer } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { isRestored } from '../writes/created.ts';
import { nouns } from '../writes/nouns.ts';
import { createIdMap, mapBody, mapPath } from '../writes/references.ts';
import type { WriteResult, WriteRun } from '../writes/run.ts';
import type { RestoredRecord } from './history.ts';
import type { RevertPlan } from './plan.ts';
import type { RevertStep } from './steps.ts';

/** Sends the requests of a revert, and follows the ids of the records that it creates again. */
export class Reverter {
  readonly #run: WriteRun;
  readonly #newIds: Map<string, string>;
  readonly #tags: Map<string, string>;
  /** The records as the last write of this revert left them, by path. */
  readonly #records = new Map<string, JsonObject>();
  /** The ids of the records that later steps create again. */
  readonly #pendingIds = new Set<string>();
  readonly #losses = new Set<string>();
  /** The records that were created again. */
  readonly restored: RestoredRecord[] = [];

  constructor(run: WriteRun, newIds: ReadonlyMap<string, string>, tags: ReadonlyMap<string, string>) {
    this.#run = run;
    this.#newIds = new Map(newIds);
    this.#tags = new Map(tags);
  }

  /**
   * Sends the steps of a plan in order. Returns the reasons why values could not be restored, such as a reference to a
   * deleted record.
   * @throws {Failure} of a step that failed: the next run continues
   */
  async run(
    { steps }: Pick<RevertPlan, 'steps'>,
    onStep: (done: number) => void,
  ): Promise<readonly string[]> {
    for (const { from } of steps) if (from !== undefined) this.#pendingIds.add(from);
    for (const [index, step] of steps.entries()) {
      await this.#sendStep(this.#mapStep(step));
      onStep(index + 1);
    }
    return [...this.#losses];
  }

  /** Returns a step with current ids. A create omits references to records that later steps create. */
  #mapStep(step: RevertStep): RevertStep {
    const map = createIdMap(this.#newIds);
    const isPending = (id: string) =>
      step.action === 'create' && this.#pendingIds.has(id) && !this.#newIds.has(id);
    return { ...mapPath(step, map), body: mapBody(step.body, step.references, map, isPending) };
  }

  async #sendStep(step: RevertStep): Promise<void> {
    const { noun, action, from, keptReferences: related = [], isRelated } = step;
    const key = toPathKey(step);
    try {
      const ifMatch = this.#tags.get(key);
      const before = this.#records.get(key) ?? step.before;
      const result = await this.#run.write(step, { before, from, related, ifMatch });
      this.#readTag(key, result);
      if (action === 'create') await this.#followCreated(step, result);
      else if (result.record) this.#records.set(key, result.record);
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') {
        if (action === 'delete') return; // someone else deleted the record
        if (isRelated) return void this.#losses.add(error.message);
      }
      if (error instanceof Failure && error.code === 'changed')
        throw new Failure('changed', `The ${nouns[noun].title} ${step.id} has just changed.`, {
          hint: 'Run the command again: it compares the records again and continues.',
        });
      const { body, reasons } = omitRefused(step.body, error);
      if (reasons.length === 0) throw error;
      for (const reason of reasons) this.#losses.add(reason);
      if (action === 'create' || Object.keys(body).length > 0)
        await this.#sendStep({ ...step, body }).catch((again) => {
          // A record may be invalid without its refused address. The refusal of the address is the actual reason.
          throw again instanceof Failure && again.code === 'invalid' ? error : again;
        });
    }
  }

  #readTag(key: string, { response: { headers } }: WriteResult): void {
    const { etag } = headers;
    if (etag === undefined || etag.startsWith('W/')) this.#tags.delete(key);
    else this.#tags.set(key, etag);
  }

  async #followCreated(step: RevertStep, { status, record: sent }: WriteResult): Promise<void> {
    const { from } = step;
    const record = sent ?? (await this.#run.findCreated(step, from));
    if (!record)
      throw new Failure('unknown', 'A record was created again, but the service did not return its id.');
    if (status === 'unchanged' && !isRestored(step, record))
      throw new Failure('invalid', `The entry is not restored: its list already has entry ${record.id}.`);
    if (from === undefined) return;
    const id = String(record.id);
    this.#records.set(toPathKey({ ...step, id }), record);
    this.#newIds.set(from, id);
    this.restored.push({ from, after: record });
  }
}

/**
 * Returns a body without the refused values: references to deleted records, addresses of another record, and values of
 * defined fields, such as a removed option. Returns no reasons for any other refusal.
 */
function omitRefused(body: JsonObject, error: unknown) {
  const { fieldErrors = [] } = error instanceof Failure && error.code === 'invalid' ? error.detail : {};
  const find = (pointer: string, isRefused: (code: string) => boolean = () => true) =>
    fieldErrors.filter((error) => `${error.pointer}/`.startsWith(`${pointer}/`) && isRefused(error.code));
  const refusals: FieldError[] = [];
  const omit = (errors: readonly FieldError[]) => {
    refusals.push(...errors);
    return errors.length > 0;
  };
  const remainingValues = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (['contact_id', 'organization_id', 'deal_id'].includes(name))
      return omit(find(`#/${name}`, (code) => code === 'not_found')) ? [] : [[name, value]];
    const isAddress = name === 'emails' || name === 'domains';
    if (!(isAddress || isFieldContainer(name)) || !Array.isArray(value)) return [[name, value]];
    const isRefused = (code: string) => !isAddress || code === 'taken';
    const items = value.filter((_, index) => !omit(find(`#/${name}/${index}`, isRefused)));
    return items.length > 0 ? [[name, items]] : [];
  });
  return { body: Object.fromEntries(remainingValues), reasons: refusals.map(({ message }) => message) };
}
