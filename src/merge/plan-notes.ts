import { type StoredRecord, toBody, type Values } from '../changes/values.ts';
import { listUnknownFields } from './combine-fields.ts';
import { Copies } from './copies.ts';
import type { MergedIds } from './merge-nouns.ts';
import type { ReplacedEntry } from './plan-entries.ts';
import type { MergeStep, StoredMerge } from './stored-merge.ts';

/** The deal of a note after the merge. `isPending`: an earlier step creates it. */
type NewDeal = { readonly deal_id: string } | { readonly isPending: true };

/** The entries that a note may name as its deal. */
interface EntryIdentities {
  /** The entries of the other record. */
  readonly replacedEntries: readonly ReplacedEntry[];
  /** The keys of the entries of the record to keep. */
  readonly ownKeys: ReadonlySet<string>;
}

/** Whether a note is about an organization of a merge. */
const isNoteOf = ({ organization_id }: StoredRecord, id: string, { noun }: MergedIds) =>
  noun === 'organization' && organization_id === id;

/** Whether a merge copies or compares a note, or may change its deal. */
export const concernsNote = (note: StoredRecord, ids: MergedIds, dealIds: ReadonlySet<string>): boolean =>
  isNoteOf(note, ids.keep, ids) || isNoteOf(note, ids.other, ids) || dealIds.has(note.deal_id ?? '');

/**
 * Plans the notes. Copies the notes of the other organization to the one to keep, because the API cannot change the
 * organization of a note. Updates each note whose deal gets a new id.
 */
export function planNotes(
  notes: readonly StoredRecord[],
  ids: MergedIds,
  { replacedEntries, ownKeys }: EntryIdentities,
  interrupted: StoredMerge | undefined,
) {
  const ownNotes = notes.filter((note) => isNoteOf(note, ids.keep, ids));
  const otherNotes = notes.filter((note) => isNoteOf(note, ids.other, ids));
  const findDeal = createDealFinder(replacedEntries);
  const toCopyBody = (note: StoredRecord) => {
    const { values } = toChange(findDeal(note, !isNoteOf(note, ids.keep, ids)));
    return { organization_id: ids.keep, body: note.body, ...readDeal(note), ...values };
  };
  const copies = new Copies({
    noun: 'note',
    ownRecords: ownNotes,
    otherRecords: otherNotes,
    interrupted,
    toBody: toCopyBody,
  });
  const copiedNotes = otherNotes.filter((note) => !copies.take(note));
  const lostNotes = copies.findLost(interrupted?.deleted.note ?? []);
  // The service sorts notes by their time of creation, so the oldest is copied first.
  const creates = [...copiedNotes, ...lostNotes].toSorted(compareTimes).map((note): MergeStep => {
    const { awaitsDeal } = toChange(findDeal(note, true));
    return { noun: 'note', action: 'create', body: toBody(toCopyBody(note)), copies: [note], ...awaitsDeal };
  });
  const updates = notes.flatMap((note): MergeStep[] => {
    const acceptsKey = isNoteOf(note, ids.keep, ids) && !ownKeys.has(note.deal_id ?? '');
    const deal = isNoteOf(note, ids.other, ids) ? undefined : findDeal(note, acceptsKey);
    if (!deal) return [];
    const { awaitsDeal, values } = toChange(deal);
    const body = { ...readDeal(note), ...values };
    return [{ noun: 'note', action: 'update', id: note.id, body, ...awaitsDeal }];
  });
  const deletes = otherNotes.map(({ id }): MergeStep => ({ noun: 'note', action: 'delete', id, body: {} }));
  const unknownFields = new Set(otherNotes.flatMap((note) => listUnknownFields('notes', note)));
  return {
    count: otherNotes.length + lostNotes.length,
    copies: [...creates, ...updates],
    deals: updates.length,
    deletes,
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

/**
 * Returns a function that finds the new deal of a note: by the entry's id, or by its key if the note is about one of the
 * merged organizations. Keys are unique only in one process.
 */
function createDealFinder(replacedEntries: readonly ReplacedEntry[]) {
  return ({ deal_id: deal }: StoredRecord, acceptsKey: boolean): NewDeal | undefined => {
    if (!deal) return undefined;
    const byId = replacedEntries.find(({ entry }) => entry.id === deal);
    if (byId) return byId.into ? { deal_id: byId.into.id } : { isPending: true };
    const byKey = acceptsKey ? replacedEntries.filter(({ entry }) => entry.key === deal) : [];
    const [only, ...others] = byKey;
    if (!only || others.length > 0) return undefined;
    return only.into ? { deal_id: only.into.key ?? only.into.id } : { isPending: true };
  };
}
