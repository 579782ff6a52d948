import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { organizations } from '../contract/organizations.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import { type Action, type Done, type Outcome, Refusal, type Step, type What } from './outcome.ts';
import { imaginedAfter } from './rehearsal.ts';
import { lasting, valuesLike } from './values.ts';

/** Carries out the steps of one row, one after the other. */
export interface Worker {
  /** The row that it works on. */
  readonly row: number;
  /** Whether nothing is sent. */
  readonly isRehearsal: boolean;
  /** Gives the record as it is then; `current` is what it was. */
  write(step: Step, current?: Fields): Promise<Fields>;
  readonly steps: readonly Step[];
  readonly done: readonly Done[];
}

interface Writes {
  readonly get: Route;
  readonly create: Route;
  readonly update: Route;
  readonly delete: Route;
  /** The id in their paths. */
  readonly id: string;
}

/** The routes that write a kind of record, and what its path takes. */
export const writes: Readonly<Record<What, Writes>> = {
  contact: { ...contacts, id: 'contact_id' },
  organization: { ...organizations, id: 'organization_id' },
  entry: { ...entries, id: 'id' },
};

/** Is told of a step before it is sent, so that a run which is killed leaves a trace of it. */
export type Announce = (step: Step) => Promise<void>;

/** A worker that sends. */
export function sendingWorker(row: number, client: Client, announce: Announce): Worker {
  const steps: Step[] = [];
  const done: Done[] = [];
  return {
    row,
    isRehearsal: false,
    steps,
    done,
    async write(step, current) {
      await announce(step);
      const { create, update, id } = writes[step.what];
      const { list_id } = step;
      const path = {
        ...(list_id !== undefined && { list_id }),
        ...(step.id !== undefined && { [id]: step.id }),
      };
      const { value } = await client.record(step.id === undefined ? create : update, {
        ...step.body,
        ...path,
      });
      // The specification shows no answer to a write: what it was sent is then what it has.
      const record = value === null ? imaginedAfter(step, current, 0) : fieldsOf(value);
      if (step.id === undefined && (value === null || plain(record.id) === '')) {
        throw new Failure('unknown', `The ${step.what} was made, but the service does not say its id.`);
      }
      steps.push(step);
      done.push(doneBy(step, record));
      return { ...record, id: record.id ?? step.id };
    },
  };
}

/** A worker that only imagines what would come of it. */
export function rehearsingWorker(row: number): Worker {
  const steps: Step[] = [];
  return {
    row,
    isRehearsal: true,
    steps,
    done: [],
    async write(step, current) {
      steps.push(step);
      return imaginedAfter(step, current, row);
    },
  };
}

/** What a step has made, from the record as the service then has it. */
export function doneBy({ what, list_id, id, before }: Step, record: Fields): Done {
  const place = { what, ...(list_id !== undefined && { list_id }), id: id ?? plain(record.id) };
  if (before === undefined) return { ...place, after: lasting(record) };
  return { ...place, before, after: valuesLike(before, record) };
}

/** Works on a row, and says what became of it. Throws a failure that is not the row's own. */
export async function worked(
  main: What,
  { steps, done }: Worker,
  work: () => Promise<string>,
): Promise<Outcome> {
  try {
    const id = await work();
    return { action: actionOf(main, steps), id, steps, done };
  } catch (error) {
    if (error instanceof Refusal) {
      return { action: 'refused', error: error.message, candidates: error.candidates, steps, done };
    }
    if (!isOfRow(error)) throw error;
    const action = error.code === 'unknown' ? 'unknown' : 'refused';
    return { action, id: done[0]?.id, error: sentence(error), steps, done };
  }
}

/** Whether a failure is about one row: any other would meet them all. */
function isOfRow(error: unknown): error is Failure {
  return isRecordFailure(error) || (error instanceof Failure && error.code === 'too_large');
}

/** What became of the record that a row is about; whatever else had to be written changes it too. */
export function actionOf(main: What, steps: readonly Step[]): Action {
  if (steps.length === 0) return 'same';
  return steps.some(({ what, id }) => what === main && id === undefined) ? 'create' : 'update';
}

function sentence({ message, detail }: Failure): string {
  const faults = (detail.fieldErrors ?? []).map((fault) => fault.message);
  return faults.length > 0 ? faults.join(' ') : message;
}
