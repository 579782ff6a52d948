import type { Session } from '../../cli/command/context.ts';
import { readFollowUpWeights } from '../../cli/connect/settings.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import { tryCall } from '../../cli/references/resolve-reference.ts';
import type { Result } from '../../contract/documents/results.ts';
import { notes } from '../../contract/notes.ts';
import { type FollowUp, type PartyFacts, rankFollowUps } from '../../followup/rank.ts';
import { mapConcurrently } from '../../values/concurrency.ts';
import { truncateValue } from '../../values/text.ts';
import { loadActionLedger, resolveLedgerFile } from '../actions/ledger-file.ts';
import type { PartyCollector } from './read-parties.ts';

export type Party = Pick<PartyFacts, 'kind' | 'id'>;

/** A line of the result, and the facts behind it. */
export interface FollowUpLine extends FollowUp {
  readonly record: Result<'follow-up'>;
}

export interface FollowUpLines {
  readonly lines: readonly FollowUpLine[];
  /** The number of lines without a limit. */
  readonly total: number;
}

interface FollowUpQuery {
  /** The only contact or organization, even if it is snoozed. */
  readonly only?: Party | undefined;
  /** Maximum number of lines; undefined for all. */
  readonly limit: number | undefined;
  readonly ledger: string | undefined;
  readonly maxAge?: number | undefined;
}

/** Maximum number of requests at once, and of names to look up one by one. */
const maxRequests = 8;

/** Reads what the index knows about the contacts and organizations, and ranks them. */
export async function readFollowUps(
  session: Session,
  collector: PartyCollector,
  { only, limit, ledger: file, maxAge }: FollowUpQuery,
): Promise<FollowUpLines> {
  const parties = await collector.read(session, maxAge);
  const ledger = await loadActionLedger(session, await resolveLedgerFile(session, file));
  const now = session.runtime.now().getTime();
  const isShown = ({ kind, id }: Party) =>
    only ? only.kind === kind && only.id === id : !(Date.parse(ledger.find(kind, id)?.until ?? '') > now);
  const ranked = rankFollowUps(parties, collector.today, await readFollowUpWeights(session));
  const shown = ranked.filter(({ party }) => isShown(party));
  const lines = await describeLines(session, shown.slice(0, limit));
  return { lines, total: shown.length };
}

/** Adds names, and the texts of notes. Omits a contact or an organization that was deleted since the index was updated. */
async function describeLines(session: Session, followUps: readonly FollowUp[]): Promise<FollowUpLine[]> {
  const names = createNames(session, { isRequired: true, maxLookups: maxRequests });
  await names.load(
    followUps.flatMap(({ party: { kind, id, contactId = '' } }) => [
      { kind, id },
      { kind: 'contact', id: contactId },
    ]),
  );
  const texts = await readNotes(session, followUps);
  return followUps.flatMap((followUp) => {
    const { score, reasons } = followUp;
    const { kind, id, contactId } = followUp.party;
    if (!names.find(kind, id)) return [];
    const hasContact = contactId !== undefined && contactId !== id;
    const record = {
      ...{ score, kind, id, name: names.get(kind, id) },
      contact_id: hasContact ? contactId : null,
      contact: hasContact ? names.get('contact', contactId) : null,
      reasons: reasons.map((reason) => {
        const text = reason.part === 'date' && texts.get(reason.id ?? '');
        return text ? { ...reason, text: `${reason.text}: ${truncateValue(text)}` } : reason;
      }),
    };
    return [{ ...followUp, record }];
  });
}

/** Reads the texts of the notes that are reasons, by id. */
async function readNotes(session: Session, followUps: readonly FollowUp[]) {
  const ids = followUps.flatMap(({ reasons }) =>
    reasons.flatMap(({ part, id }) => (part === 'date' && id !== null ? id : [])),
  );
  const client = await session.client();
  const results = await mapConcurrently(ids, maxRequests, (note_id) =>
    tryCall(() => client.read(notes.get, { note_id })),
  );
  return new Map(
    results.flatMap((result) => ('value' in result ? [[result.value.id, result.value.body] as const] : [])),
  );
}
