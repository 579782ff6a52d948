import { findColumnHeaders } from '../contract/column-headers.ts';
import { listWritable } from '../contract/list-fields.ts';
import { notes } from '../contract/notes.ts';
import { toMatchKey, toNoteKey } from '../records/match.ts';
import { RecordIndex } from '../records/record-index.ts';
import { readRecord } from '../writes/nouns.ts';
import type { StoredRecord } from '../writes/values.ts';
import type { RowBody } from './body-errors.ts';
import { DealFinder } from './deal-finder.ts';
import type { OwnColumns, RowPlan } from './mapping.ts';
import { loadOrganizations } from './organizations.ts';
import { Refusal } from './outcome.ts';
import { createColumns } from './own-fields.ts';
import { type ImporterOptions, loadList } from './record-index.ts';
import { RecordWriter, type RowWrites } from './record-writer.ts';
import type { Importer } from './run.ts';

/** Returns the columns of notes. The API cannot set dates, so the date of a row becomes the first line. */
export function createNoteColumns(): OwnColumns {
  const { domains = {} } = createColumns('organizations');
  const date = { headers: findColumnHeaders('notes', 'date') };
  return { ...createColumns('notes', listWritable('notes', 'create')), domains, date };
}

/** Returns the bodies that a row may need, to check them. */
export const planNoteBodies = (plan: RowPlan): RowBody[] => [
  { noun: 'note', body: { deal_id: plan.ownTexts.deal_id?.[0], body: readText(plan) } },
];

/** Returns the text of a row's note; undefined if it has none. */
function readText({ ownTexts }: RowPlan): string | undefined {
  const [text] = ownTexts.body ?? [];
  const [date] = ownTexts.date ?? [];
  return text === undefined || date === undefined ? text : `${date.trim()}\n${text}`;
}

/** The organization and the deal of a row's note. */
interface NoteTarget {
  readonly organization_id: string;
  readonly deal_id: string | null;
}

/** A note without its text, which may be long. */
interface IndexedNote {
  readonly id: string;
  readonly deal_id: string | null;
  /** The organization and a hash of the text. */
  readonly key: string;
}

/** Imports notes about existing organizations and deals. A note is matched by its organization or deal, and its text. */
export async function createNoteImporter(options: ImporterOptions): Promise<Importer> {
  const { client } = options;
  const findTarget = await createTargetFinder(options);
  const index = new RecordIndex<IndexedNote>(({ key }) => [key]);
  const predictedNotes = index.createOverlay();
  const store = {
    get: (id: string) => index.get(id),
    put: ({ id, organization_id, deal_id, body }: StoredRecord) =>
      index.put({ id, key: toNoteKey(organization_id ?? '', body ?? ''), deal_id: deal_id ?? null }),
  };
  const { reload } = await loadList(options, store, notes.list);
  const recordWriter = new RecordWriter(client, { noun: 'note' });
  return {
    main: 'note',
    comparedColumns: {},
    readKeys: (plan) => [toMatchKey('text', readText(plan) ?? '')],
    async match(plan, row) {
      const text = readText(plan);
      if (text === undefined) throw new Refusal('No text for the note; fill in the body.');
      const { organization_id, deal_id } = await findTarget(plan);
      const key = toNoteKey(organization_id, text);
      const note = findNote(predictedNotes, key, deal_id) ?? { id: `row ${row}`, deal_id };
      predictedNotes.put({ id: note.id, key, deal_id: deal_id ?? note.deal_id });
      return note.id;
    },
    async write(group) {
      const targets = new Map<RowWrites, NoteTarget>();
      for (const row of group.rows) targets.set(row, await findTarget(row.plan));
      const { organization_id, deal_id } = combineTargets([...targets.values()]);
      const body = group.rows.map(({ plan }) => readText(plan)).find((text) => text !== undefined) ?? '';
      const key = toNoteKey(organization_id, body);
      const indexed = index.get(group.key);
      /** Reads a note that is about to get its deal. */
      const complete = async (note: IndexedNote | undefined) =>
        note && hasOtherDeal(note, deal_id) ? readRecord(client, { noun: 'note', id: note.id }) : note;
      const saved = await recordWriter.save(group, await complete(indexed), {
        planFields: (row, existing) => {
          const { organization_id, deal_id = null } = targets.get(row) ?? {};
          const deal = hasOtherDeal(existing, deal_id) ? { deal_id } : {};
          return existing ? deal : { organization_id, ...deal, body };
        },
        listValues: () => [],
        keys: [key],
        isMatch: (values) => !values.deal_id || deal_id === null || values.deal_id === deal_id,
        lookUp: (onlyNew) => reload(onlyNew).then(() => complete(findNote(index, key, deal_id))),
      });
      index.put({ id: saved.id, key, deal_id: saved.deal_id ?? null });
      return saved;
    },
  };
}

/** Combines the targets of rows about one note: their organization, and the deal if any row has a deal. */
function combineTargets(targets: readonly NoteTarget[]): NoteTarget {
  const organization_id = targets[0]?.organization_id ?? '';
  return targets.find(({ deal_id }) => deal_id !== null) ?? { organization_id, deal_id: null };
}

const hasOtherDeal = (note: Pick<StoredRecord, 'deal_id'> | undefined, deal_id: string | null) =>
  deal_id !== null && deal_id !== note?.deal_id;

/** Returns the note with a key. For a row with a deal, prefers the note of the deal to a note without a deal. */
function findNote(
  index: RecordIndex<IndexedNote>,
  key: string,
  deal_id: string | null,
): IndexedNote | undefined {
  const candidates = index.find(key);
  return (
    candidates.find((note) => !hasOtherDeal(note, deal_id)) ??
    candidates.find((note) => note.deal_id === null)
  );
}

/** Returns a function that finds the organization and the deal of a row. */
async function createTargetFinder(options: ImporterOptions): Promise<(plan: RowPlan) => Promise<NoteTarget>> {
  const matcher = await loadOrganizations(options);
  const deals = new DealFinder(options);
  const findOrganization = (plan: RowPlan): string | undefined => {
    const { organization_id: [id] = [], organization = [], domains = [] } = plan.ownTexts;
    const names = [...organization, ...domains];
    if (id === undefined && names.length === 0) return undefined;
    const record = id === undefined ? matcher.match(plan) : matcher.read(id.trim());
    if (!record) throw new Refusal(`Organization "${id ?? names.join('; ')}" not found.`);
    return record.id;
  };
  return async (plan) => {
    const organization_id = findOrganization(plan);
    const { deal: [name] = [], deal_id: [id] = [] } = plan.ownTexts;
    // The API does not say which records a deal_id may name.
    if (name === undefined && organization_id !== undefined)
      return { organization_id, deal_id: id?.trim() ?? null };
    const text = name ?? id;
    if (text === undefined) throw new Refusal('No organization or deal for the note; fill in one of them.');
    const deal = await deals.find(text);
    const owner = await deals.findOrganization(deal);
    if (owner === null) throw new Refusal(`The contact of the deal "${text.trim()}" has no organization.`);
    if (organization_id !== undefined && owner !== organization_id)
      throw new Refusal(`The deal "${text.trim()}" belongs to another organization: ${owner}.`);
    return { organization_id: owner, deal_id: deal.id };
  };
}
