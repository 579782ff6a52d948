import { resolve } from 'node:path';
import { changeActionLedger } from '../../actions/ledger.ts';
import { recordItems } from '../../cli/change-log.ts';
import { type CommandResult, toBatch, toMessageResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive } from '../../cli/command/interaction.ts';
import type { OptionValues } from '../../cli/command/options.ts';
import { readLimit, showsTable } from '../../cli/command/records.ts';
import { readFollowUpWeights } from '../../cli/connect/settings.ts';
import type { Moment } from '../../cli/flags/moment.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { resolveUser } from '../../cli/references/complete-address.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import { contacts } from '../../contract/contacts.ts';
import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import { type FollowUp, rankFollowUps } from '../../followup/rank.ts';
import { renderFollowUps } from '../../render/screens/follow-up-screen.ts';
import { views } from '../../render/views.ts';
import { createDayFormat } from '../../values/dates.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { loadActionLedger, resolveLedgerFile } from '../actions/ledger-file.ts';
import type { followUpOptions } from './followup.ts';
import { readParties } from './read-parties.ts';

type FollowUpFlags = OptionValues<typeof followUpOptions>;

interface Party {
  readonly kind: PartyNoun;
  readonly id: string;
}

/** A line of the result, and the facts behind it. */
export interface FollowUpLine extends FollowUp {
  readonly record: Result<'follow-up'>;
}

/** Shows whom to contact, or snoozes a contact or an organization. In a terminal, first lets the person act on lines. */
export async function showFollowUps(session: Session, flags: FollowUpFlags): Promise<CommandResult> {
  const { snooze, explain, tz: zone } = flags;
  const only = await findParty(session, flags);
  if (snooze && only) return snoozeParty(session, only, snooze, flags);
  const read = () => readLines(session, flags, only);
  const first = await read();
  const acts = isInteractive(session) && showsTable(session) && !session.globals.quiet;
  const { lines, total } =
    acts && first.total > 0
      ? await (await import('./act-on-follow-ups.ts')).actOnLines(session, first, read, flags.ledger)
      : first;
  return {
    kind: 'records',
    batches: toBatch(
      lines.map(({ record }) => toRawJson(record)),
      total,
    ),
    view: views.followUps,
    // The records are those of readLines.
    render: (style) => (records) => renderFollowUps(records as Result<'follow-up'>[], { ...style, explain }),
    isReadOnly: true, // an action has run as a command of its own
    empty: 'Nobody to contact: no open promises, near dates or long silences.',
    zone,
  };
}

/** Returns the organization or contact of the flags; the organization of a contact who has one. */
async function findParty(session: Session, { organization, contact }: FollowUpFlags) {
  if (organization !== undefined) return { kind: 'organization', id: organization } as const;
  if (contact === undefined) return undefined;
  const { organization_id: id } = await (await session.client()).read(contacts.get, { contact_id: contact });
  return id ? ({ kind: 'organization', id } as const) : ({ kind: 'contact', id: contact } as const);
}

export interface FollowUpLines {
  readonly lines: readonly FollowUpLine[];
  /** The number of lines without a limit. */
  readonly total: number;
}

async function readLines(
  session: Session,
  { mine, user: typedUser, tz: zone, ledger: file }: FollowUpFlags,
  only: Party | undefined,
): Promise<FollowUpLines> {
  const who = mine ? 'me' : typedUser;
  const user = who === undefined ? undefined : normalizeEmail(await resolveUser(session, who));
  const weights = await readFollowUpWeights(session);
  const ledger = await loadActionLedger(session, await resolveLedgerFile(session, file));
  const now = session.runtime.now();
  const isShown = ({ kind, id }: Party) =>
    only
      ? only.kind === kind && only.id === id
      : !(Date.parse(ledger.find(kind, id)?.until ?? '') > now.getTime());
  const query = { user, ledger: file, zone };
  const parties = await withProgress(session, (update) => {
    update('Reading records');
    return readParties(session, query);
  });
  const ranked = rankFollowUps(parties, createDayFormat(zone)(now.getTime()), weights);
  const shown = ranked.filter(({ party }) => isShown(party));
  const lines = await addNames(session, shown.slice(0, await readLimit(session)));
  return { lines, total: shown.length };
}

async function addNames(session: Session, followUps: readonly FollowUp[]): Promise<FollowUpLine[]> {
  const names = createNames(session, { isRequired: true });
  await names.load(
    followUps.flatMap(({ party: { kind, id, contactId = '' } }) => [
      { kind, id },
      { kind: 'contact', id: contactId },
    ]),
  );
  return followUps.map((followUp) => {
    const { score, reasons } = followUp;
    const { kind, id, contactId } = followUp.party;
    const hasContact = contactId !== undefined && contactId !== id;
    const record = {
      ...{ score, kind, id, name: names.get(kind, id) },
      contact_id: hasContact ? contactId : null,
      contact: hasContact ? names.get('contact', contactId) : null,
      reasons,
    };
    return { ...followUp, record };
  });
}

/** Stores in the ledger until when a contact or an organization is not shown. */
async function snoozeParty(
  session: Session,
  { kind, id }: Party,
  snooze: Moment,
  { tz: zone, ledger: file }: FollowUpFlags,
): Promise<CommandResult> {
  const now = session.runtime.now();
  const until = new Date(snooze({ now, zone }) * 1000).toISOString();
  if (Date.parse(until) <= now.getTime())
    throw new Failure('usage', '--snooze: the time is in the past.', { hint: 'To end a snooze: kith undo' });
  const names = createNames(session, { isRequired: true });
  await names.load([{ kind, id }]);
  const name = names.get(kind, id);
  const { dryRun } = session.globals;
  if (!dryRun) {
    const path = await resolveLedgerFile(session, file);
    const { state: from = 'open', until: earlier } =
      (await loadActionLedger(session, path)).find(kind, id) ?? {};
    const state = { event_id: kind, id, text: name };
    await recordItems(session, 'followup', {
      ledger: resolve(path),
      changes: [{ ...state, from, to: 'snoozed', until: { from: earlier, to: until } }],
    });
    await changeActionLedger(path, session.runtime.lockHolder, () => [
      { ...state, state: 'snoozed', at: now.toISOString(), until },
    ]);
  }
  const day = createDayFormat(zone)(Date.parse(until));
  const text = `${dryRun ? 'Would snooze' : 'Snoozed'} ${name} until ${day}.\n`;
  return toMessageResult(session, text, { kind, id, name, until });
}
