import { dirname } from 'node:path';
import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import type { Sent } from '../contract/json-text.ts';
import { type Fields, fieldsOf, plain } from '../output/columns.ts';
import type { Turnstile } from './in-parallel.ts';
import { begun, failedNow, goneNow, isCurrent, recordingsIn, settledNow } from './kept.ts';
import type { PlaceOf } from './layout.ts';
import type { KeptMeeting, Ledger } from './ledger.ts';
import { planned } from './place.ts';
import { type Contents, endOf, type FilesOf, filesOf } from './texts.ts';
import { isMissing } from './upkeep.ts';

/** What became of one meeting. */
export type Outcome =
  | { readonly kind: 'new' | 'updated' | 'unchanged' | 'gone' }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** It failed the last time too. */
      readonly again: boolean;
      readonly told: { readonly id: string; readonly title: string; readonly reason: string };
    };

/** What the export of meetings needs. */
export interface Work {
  readonly client: Client;
  readonly folder: string;
  readonly ledger: Ledger;
  readonly contents: Contents;
  readonly made: string;
  readonly full: boolean;
  readonly holder: { readonly now: () => Date };
  readonly placeOf: PlaceOf;
  /** Does what asks the service when it has its turn. */
  readonly inTurn: Turnstile;
  /** Gets the folders in which files were written or renamed. */
  readonly touched: Set<string>;
  /** Told of each file that was left as it is because a person edited it. */
  readonly onEdited: (name: string) => void;
  /** Told of each file that could not be made, with the reason. */
  readonly onRefused: (name: string, reason: string) => void;
}

/** Exports one meeting: fetches what is new of it, writes its files, and keeps it in the ledger. */
export interface MeetingExporter {
  /** One that the list holds. */
  listed(event: Sent): Promise<Outcome>;
  /** One that the list does not hold: it is asked for, and may be gone. */
  unlisted(known: KeptMeeting): Promise<Outcome>;
}

/** Failures that would meet every meeting, and end the run. Any other stops no other meeting. */
const common = new Set<FailureCode>(['unauthorized', 'rate_limited', 'interrupted', 'terminated']);

export function meetingExporter(work: Work): MeetingExporter {
  const { client, folder, ledger, made, full } = work;
  const listed = async (sent: Sent): Promise<Outcome> => {
    const event = fieldsOf(sent.value);
    if (event.id === undefined || event.id === null) return nameless(event);
    const known = ledger.meetings.get(plain(event.id));
    const isKept = known && !full && isCurrent(known, event, made);
    if (isKept && !isMissing(folder, known)) return { kind: 'unchanged' };
    return exported(work, sent, known);
  };
  return {
    listed,
    async unlisted(known) {
      const sent = await asked(work, () => eventStill(client, known.id));
      if (sent instanceof Failure) return failed(work, { ...known, failed: sent.message }, known, sent);
      return sent ? listed(sent) : gone(work, known);
    },
  };
}

async function exported(work: Work, sent: Sent, known: KeptMeeting | undefined): Promise<Outcome> {
  const event = fieldsOf(sent.value);
  const read = await asked(work, async () => ({
    place: await work.placeOf(event),
    ...(await filesOf(work.client, sent, work.contents)),
  }));
  if (!(read instanceof Failure)) return written(work, event, known, read);
  const failing = () => failed(work, failedNow(event, known, read.message), known, read);
  if (![404, 410].includes(read.status)) return failing();
  // What the list told may be over by now: the meeting, or a recording of it, may be gone.
  const now = await asked(work, () => eventStill(work.client, plain(event.id)));
  if (now === undefined) {
    if (known) return gone(work, known);
    // A new one that was listed a moment ago is asked for once more by the next run.
    await work.ledger.keep(failedNow(event, undefined, read.message));
    return { kind: 'gone' };
  }
  const isSame = now instanceof Failure || recordedIn(now) === recordedIn(sent);
  return isSame ? failing() : exported(work, now, known);
}

const recordedIn = ({ value }: Sent) => JSON.stringify(recordingsIn(fieldsOf(value)).map(({ id }) => id));

/** What is read of the service, or the failure of it that is this meeting's own. */
async function asked<T>({ inTurn }: Work, read: () => Promise<T>): Promise<T | Failure> {
  try {
    return await inTurn(read);
  } catch (error) {
    if (error instanceof Failure && !common.has(error.code)) return error;
    // Values of a kind that nobody thought of: an object for a title, a summary of 100,000 levels.
    if (error instanceof TypeError || error instanceof RangeError)
      return new Failure('failed', `It is not as it should be: ${error.message}.`);
    throw error;
  }
}

/** A meeting as the service has it now; undefined for one that is gone. */
async function eventStill(client: Client, id: string): Promise<Sent | undefined> {
  try {
    return await client.record(calendarEvents.get, { id });
  } catch (error) {
    if (error instanceof Failure && [404, 410].includes(error.status)) return undefined;
    throw error;
  }
}

/** Puts the files of a meeting where they belong. The ledger knows of it before the first and after the last step. */
async function written(
  { folder, ledger, made, holder, touched, onEdited, onRefused }: Work,
  event: Fields,
  known: KeptMeeting | undefined,
  { place, files, recordings, refused }: FilesOf & { readonly place: string },
): Promise<Outcome> {
  const before = new Map(
    [...(known?.left ?? []), ...(known?.files ?? [])].map((file) => [endOf(file.name), file]),
  );
  const plans = [];
  for (const { end, bytes } of files) {
    plans.push(await planned(folder, place.replace(/\.md$/, end), bytes, before.get(end)));
  }
  const steps = plans.flatMap((plan) => plan.steps);
  if (steps.length > 0) await ledger.keep(begun(event, known, plans));
  for (const step of steps) await step();
  if (steps.length > 0) touched.add(dirname(place));
  await ledger.keep(settledNow(event, known, plans, recordings, made, holder.now()));
  for (const { placed, file } of plans) if (placed === 'edited') onEdited(file.name);
  for (const reason of new Set(refused)) onRefused(place, reason);
  const isNew = plans.some(({ placed }) => placed === 'new') && plans.every(({ from }) => !from?.hash);
  if (isNew) return { kind: 'new' };
  return { kind: plans.every(({ placed }) => placed === 'unchanged') ? 'unchanged' : 'updated' };
}

async function gone({ ledger }: Work, known: KeptMeeting | undefined): Promise<Outcome> {
  if (known) await ledger.keep(goneNow(known));
  return { kind: 'gone' };
}

async function failed(
  { ledger }: Work,
  kept: KeptMeeting,
  known: KeptMeeting | undefined,
  failure: Failure,
): Promise<Outcome> {
  await ledger.keep(kept);
  const told = { id: kept.id, title: kept.title, reason: failure.message };
  return { kind: 'failed', failure, again: known?.failed !== undefined, told };
}

/** A meeting that cannot be told from another: nothing can be kept of it. */
function nameless({ title }: Fields): Outcome {
  const failure = new Failure('failed', 'The service gives it no id.');
  const told = { id: '', title: plain(title), reason: failure.message };
  return { kind: 'failed', failure, again: false, told };
}
