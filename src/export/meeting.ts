import { dirname, join } from 'node:path';
import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { unlessOwn } from '../files/disk-errors.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import type { Semaphore } from '../values/concurrency.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type EarlierFiles, earlierNamesOf, recognizeFiles } from './earlier-files.ts';
import { unlessGone } from './fetch.ts';
import { hashAt } from './folder.ts';
import {
  begun,
  failedNow,
  goneNow,
  hasGone,
  isCurrent,
  nothingOf,
  recordingsIn,
  settledNow,
} from './kept.ts';
import type { PlaceOf } from './layout.ts';
import type { Ledger } from './ledger.ts';
import type { KeptFile, KeptMeeting } from './ledger-lines.ts';
import { type OutputFolder, type Plan, planned, resolveFiles, type Step } from './place.ts';
import { allContents, type Contents, endOf, type FilesOf, filesOf, gone, type Read } from './texts.ts';
import { filesHere, isMissing } from './upkeep.ts';

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
export interface Work extends OutputFolder {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly contents: Contents;
  /** What the files hold, as the ledger tells it. */
  readonly made: string;
  readonly layout: string;
  readonly full: boolean;
  /** The whole list is read: what is gone of a meeting that it holds may have come back. */
  readonly isRelist: boolean;
  readonly holder: { readonly now: () => Date };
  readonly placeOf: PlaceOf;
  /** Files that the ledger may have lost. */
  readonly earlierFiles: EarlierFiles;
  /** Does what asks the service when it has its turn. */
  readonly inTurn: Semaphore;
  /** Gets the folders in which files were written or renamed. */
  readonly touched: Set<string>;
  /** Told of each file that was left as it is because a person edited it. */
  readonly onEdited: (name: string) => void;
  /** Told of each file that could not be made, with the reason. */
  readonly onRefused: (name: string, reason: string) => void;
  /** Told of each recording that is found to be gone. */
  readonly onGone: (id: string) => void;
}

/** Exports one meeting: fetches what is new of it, writes its files, and keeps it in the ledger. */
export interface MeetingExporter {
  /** One that the list holds. */
  listed(event: RawJson): Promise<Outcome>;
  /** One that the list does not hold: it is asked for, and may be gone. */
  unlisted(known: KeptMeeting): Promise<Outcome>;
}

/** Failures that would meet every meeting, and end the run. Any other stops no other meeting. */
const common = new Set<FailureCode>([
  'unauthorized',
  'rate_limited',
  'unverified',
  'interrupted',
  'terminated',
]);

/** Exports meetings one by one, as `work` says. */
export function meetingExporter(work: Work): MeetingExporter {
  const { client, folder, ledger, made, layout, full, isRelist } = work;
  const listed = async (sent: RawJson): Promise<Outcome> => {
    const event = fieldsOf(sent.value);
    if (event.id === undefined || event.id === null) return nameless(event);
    const known = ledger.meetings.get(plain(event.id));
    const isKept = known && !full && isCurrent(known, event, made) && !(isRelist && hasGone(known, event));
    if (!isKept || isMissing(folder, known)) return exported(work, sent, known);
    if (known.layout === layout) return { kind: 'unchanged' };
    return exported(work, sent, known, await filesHere(folder, event, known));
  };
  return {
    listed,
    async unlisted(known) {
      const sent = await asked(work, () => eventStill(client, known.id));
      if (sent instanceof Failure) return failed(work, { ...known, failed: sent.message }, known, sent);
      return sent ? listed(sent) : vanished(work, known);
    },
  };
}

/** Exports a meeting from its files that are here, or from its recordings, which are fetched. */
async function exported(
  work: Work,
  sent: RawJson,
  known: KeptMeeting | undefined,
  here?: FilesOf,
): Promise<Outcome> {
  const event = fieldsOf(sent.value);
  const isUnknown = !hasFiles(known) && earlierNamesOf(work.earlierFiles, event.id).length > 0;
  const read = await asked(work, async () => ({
    place: await work.placeOf(event),
    ...(here ?? (await filesOf(work.client, sent, work.contents, isUnknown ? allContents : []))),
  }));
  if (read instanceof Failure) return failed(work, failedNow(event, known, read.message), known, read);
  if (read.recordings.every(({ status }) => status !== gone)) return written(work, event, known, read);
  // What the list told may be over by now: the meeting, or a recording of it, may be gone.
  const now = await asked(work, () => eventStill(work.client, plain(event.id)));
  if (now instanceof Failure) return failed(work, failedNow(event, known, now.message), known, now);
  if (now && recordedIn(now) === recordedIn(sent)) return written(work, event, known, read);
  if (now) return exported(work, now, known);
  if (known) return vanished(work, known);
  // A new one that was listed a moment ago is asked for once more by the next run.
  await work.ledger.keep(failedNow(event, undefined, 'The service has it no more.'));
  return { kind: 'gone' };
}

const recordedIn = ({ value }: RawJson) =>
  JSON.stringify(recordingsIn(fieldsOf(value)).map(({ id, status }) => [id, status]));

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
function eventStill(client: Client, id: string): Promise<RawJson | undefined> {
  return unlessGone(client.record(calendarEvents.get, { id }));
}

/** Puts the files of a meeting where they belong. The ledger knows of it before the first and after the last step. */
async function written(
  work: Work,
  event: Fields,
  before: KeptMeeting | undefined,
  read: FilesOf & { readonly place: string },
): Promise<Outcome> {
  const { ledger, made, layout, holder, touched, onEdited, onRefused, onGone } = work;
  const { place, recordings, refused } = read;
  const known = await unlessOwn(() =>
    hasFiles(before) ? resolveFiles(work.folder, before) : withEarlierFiles(work, event, before, read),
  );
  if (known instanceof Failure) return failed(work, failedNow(event, before, known.message), before, known);
  const plans = await unlessOwn(() => plansFor(work, known, read));
  if (plans instanceof Failure) return failed(work, failedNow(event, before, plans.message), before, plans);
  const steps = plans.flatMap((plan) => plan.steps);
  if (steps.length > 0) {
    const meeting = begun(event, known, plans);
    await ledger.keep(meeting);
    touched.add(dirname(place));
    const unwritten = await unlessOwn(() => inOrder(steps));
    if (unwritten) return failed(work, failedNow(event, meeting, unwritten.message), known, unwritten);
  }
  await ledger.keep(settledNow(event, known, { plans, recordings, made, layout, now: holder.now() }));
  for (const { placed, file } of plans) if (placed === 'edited') onEdited(file.name);
  for (const reason of new Set(refused)) onRefused(place, reason);
  for (const id of newlyGone(recordings, known)) onGone(id);
  const isNew = plans.some(({ placed }) => placed === 'new') && plans.every(({ from }) => !from?.hash);
  if (isNew) return { kind: 'new' };
  return { kind: plans.every(({ placed }) => placed === 'unchanged') ? 'unchanged' : 'updated' };
}

const hasFiles = (known: KeptMeeting | undefined): known is KeptMeeting =>
  known !== undefined && known.files.length > 0;

/** Adds the files that the ledger has lost to a meeting. */
async function withEarlierFiles(
  { folder, earlierFiles }: Work,
  event: Fields,
  known: KeptMeeting | undefined,
  { versions }: FilesOf,
): Promise<KeptMeeting | undefined> {
  const names = earlierNamesOf(earlierFiles, event.id);
  const files = await recognizeFiles(folder, names, plain(event.id), versions);
  return files.length > 0 ? { ...(known ?? nothingOf(event)), files } : known;
}

async function plansFor(
  output: OutputFolder,
  known: KeptMeeting | undefined,
  { place, files }: FilesOf & { readonly place: string },
): Promise<Plan[]> {
  const own = [...(known?.files ?? []), ...(known?.left ?? [])];
  const plans: Plan[] = [];
  for (const { end, bytes } of files) {
    const name = place.replace(/\.md$/, end);
    const candidates = own.filter((file) => endOf(file.name) === end);
    plans.push(await planned(output, name, bytes, await findOwnFile(output.folder, name, candidates)));
  }
  return plans;
}

/** Returns the file to update: the one that already has the name, or the one used last. */
async function findOwnFile(
  folder: string,
  name: string,
  candidates: readonly KeptFile[],
): Promise<KeptFile | undefined> {
  const [first, ...others] = candidates;
  const namesake = others.find((file) => file.name === name);
  return namesake && (await hashAt(join(folder, name))) !== undefined ? namesake : first;
}

async function inOrder(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await step();
}

async function vanished({ ledger }: Work, known: KeptMeeting): Promise<Outcome> {
  await ledger.keep(goneNow(known));
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

/** The recordings that are gone, and were not the last time. */
function newlyGone(recordings: readonly Read[], known: KeptMeeting | undefined): string[] {
  const before = new Set(known?.recordings.filter(({ state }) => state === gone).map(({ id }) => id));
  return recordings.filter(({ id, status }) => status === gone && !before.has(id)).map(({ id }) => id);
}

/** A meeting that cannot be told from another: nothing can be kept of it. */
function nameless({ title }: Fields): Outcome {
  const failure = new Failure('failed', 'The service gives it no id.');
  const told = { id: '', title: plain(title), reason: failure.message };
  return { kind: 'failed', failure, again: false, told };
}
