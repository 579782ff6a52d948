import { resolve } from 'node:path';
import { changeActionLedger } from '../../actions/ledger.ts';
import { recordItems } from '../../cli/change-log.ts';
import { type CommandResult, toBatch, toMessageResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive } from '../../cli/command/interaction.ts';
import type { OptionValues } from '../../cli/command/options.ts';
import { readLimit, showsTable } from '../../cli/command/records.ts';
import type { Moment } from '../../cli/flags/moment.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { resolveUser } from '../../cli/references/complete-address.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import { contacts } from '../../contract/contacts.ts';
import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import { renderFollowUps } from '../../render/screens/follow-up-screen.ts';
import { views } from '../../render/views.ts';
import { createDayFormat } from '../../values/dates.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { loadActionLedger, resolveLedgerFile } from '../actions/ledger-file.ts';
import { readActionItems } from '../actions/read-items.ts';
import type { followUpOptions } from './followup.ts';
import { visitOpenDeals } from './read-deals.ts';
import { type FollowUpLines, type Party, readFollowUps } from './read-follow-ups.ts';
import { PartyCollector } from './read-parties.ts';

type FollowUpFlags = OptionValues<typeof followUpOptions>;

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
    empty: 'Nobody to contact: no open promises, upcoming dates or long silences.',
    zone,
  };
}

/** Returns the organization or contact that the flags name; for a contact with an organization, the organization. */
async function findParty(session: Session, { organization, contact }: FollowUpFlags) {
  if (organization !== undefined) return { kind: 'organization', id: organization } as const;
  if (contact === undefined) return undefined;
  const { organization_id: id } = await (await session.client()).read(contacts.get, { contact_id: contact });
  return id ? ({ kind: 'organization', id } as const) : ({ kind: 'contact', id: contact } as const);
}

async function readLines(
  session: Session,
  { mine, user: typedUser, tz: zone, maxAge, ledger }: FollowUpFlags,
  only: Party | undefined,
): Promise<FollowUpLines> {
  const who = mine ? 'me' : typedUser;
  const user = who === undefined ? undefined : normalizeEmail(await resolveUser(session, who));
  const now = session.runtime.now().getTime();
  const collector = new PartyCollector(now, user, zone);
  const limit = await readLimit(session);
  return withProgress(session, async (update) => {
    update('Reading records');
    for await (const items of readActionItems(session, {
      state: 'open',
      ledger,
      since: collector.since / 1000,
      maxAge,
    }))
      items.forEach(collector.addItem);
    const range = { date: collector.today, start: now, end: collector.end, overdueBefore: now };
    await visitOpenDeals(session, { user, range, zone, includesUndated: true }, collector.addDeal);
    return readFollowUps(session, collector, { only, limit, ledger, maxAge });
  });
}

/** Stores the end of the snooze of a contact or an organization in the ledger. */
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
