import { type StoredRecord, toBody, type Values } from '../writes/values.ts';
import { listUnknownFields } from './combine-fields.ts';
import type { MergedIds, MergeStep } from './merge-nouns.ts';
import type { ReplacedEntry } from './plan-entries.ts';

/** The deal of a note after the merge. `isPending`: an earlier step creates it. */
type NewDeal = { readonly deal_id: string } | { readonly isPending: true };

/** The notes of both organizations, other notes whose deal is copied, and the entries that may be their deals. */
interface MergedNotes {
  /** The notes of the organization to keep, and those of the other organization. */
  readonly ownNotes: readonly StoredRecord[];
  readonly otherNotes: readonly StoredRecord[];
  /** The id and the deal of other notes that name an entry of the other record. */
  readonly namingNotes: readonly StoredRecord[];
  /** The entries of the other record. */
  readonly replacedEntries: readonly ReplacedEntry[];
  /** The keys of the entries of the record to keep. */
  readonly ownKeys: ReadonlySet<string>;
}

/**
 * Plans the notes. Copies the notes of the other organization to the one to keep, because the API cannot change the
 * organization of a note. Updates each note whose deal gets a new id.
 */
export function planNotes(
  { ownNotes, otherNotes, namingNotes, replacedEntries, ownKeys }: MergedNotes,
  ids: MergedIds,
) {
  /**
   * Finds the new deal of a note: by the entry's id, or by its key if the note is about one of the merged organizations.
   * Keys are unique only in one process.
   */
  const findDeal = ({ deal_id: deal }: StoredRecord, acceptsKey: boolean): NewDeal | undefined => {
    if (!deal) return undefined;
    const byId = replacedEntries.find(({ entry }) => entry.id === deal);
    if (byId) return byId.into ? { deal_id: byId.into.id } : { isPending: true };
    const byKey = acceptsKey ? replacedEntries.filter(({ entry }) => entry.key === deal) : [];
    const [only, ...others] = byKey;
    if (!only || others.length > 0) return undefined;
    return only.into ? { deal_id: only.into.key ?? only.into.id } : { isPending: true };
  };
  // The service sorts notes by their time of creation, so the oldest is copied first.
  const creates = otherNotes.toSorted(compareTimes).map((note): MergeStep => {
    const { values, awaitsDeal } = toChange(findDeal(note, true));
    const body = { organization_id: ids.keep, body: note.body, ...readDeal(note), ...values };
    return { noun: 'note', action: 'create', body: toBody(body), ...awaitsDeal };
  });
  const planUpdate = (note: StoredRecord, acceptsKey: boolean): MergeStep[] => {
    const deal = findDeal(note, acceptsKey);
    if (!deal) return [];
    const { awaitsDeal, values } = toChange(deal);
    const body = { ...readDeal(note), ...values };
    return [{ noun: 'note', action: 'update', id: note.id, body, ...awaitsDeal }];
  };
  const updates = [
    ...ownNotes.flatMap((note) => planUpdate(note, !ownKeys.has(note.deal_id ?? ''))),
    ...namingNotes.flatMap((note) => planUpdate(note, false)),
  ];
  const unknownFields = new Set(otherNotes.flatMap((note) => listUnknownFields('notes', note)));
  return {
    count: otherNotes.length,
    steps: [...creates, ...updates],
    deals: updates.length,
    lostValues: Array.from(unknownFields, (name) => `${name} of the notes`),
  };
}

const compareTimes = (left: StoredRecord, right: StoredRecord) =>
  (left.created_at ?? '') < (right.created_at ?? '') ? -1 : Number(left.created_at !== right.created_at);

const readDeal = ({ deal_id }: StoredRecord): Values => (deal_id ? { deal_id } : {});

/** Returns the values of a note with another deal. The note keeps its deal until an earlier step creates the new one. */
function toChange(deal: NewDeal | undefined) {
  const isPending = deal !== undefined && 'isPending' in deal;
  return {
    values: deal && 'deal_id' in deal ? { deal_id: deal.deal_id } : {},
    awaitsDeal: isPending ? ({ awaitsDeal: true } as const) : {},
  };
}
