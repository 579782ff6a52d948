import { identifyItems } from '../../actions/item-id.ts';
import type { KnownItem } from '../../actions/match-items.ts';
import type { Kind } from '../kinds.ts';
import type { IndexDocument } from './documents.ts';
import type { IndexFile } from './index-file.ts';

/** The tables with details about the records of a kind. */
const tables: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  contacts: ['contact_address', 'relation'],
  notes: ['relation'],
  entries: ['relation'],
  meetings: ['meeting_items', 'action_item', 'relation'],
};

/** Removes the details about a record. */
export function removeDetails(index: IndexFile, kind: Kind, n: number): void {
  for (const table of tables[kind] ?? []) index.run(`delete from ${table} where n = ?`, n);
}

/** The document of a record. `isNew`: the index has no details about it. `isPartial`: some texts could not be read. */
interface RecordDocument {
  readonly n: number;
  readonly id: string;
  readonly document: IndexDocument;
  readonly isNew: boolean;
  readonly isPartial: boolean;
}

/** Replaces the details about a record. */
export function writeDetails(
  index: IndexFile,
  kind: Kind,
  { n, id, document, isNew, isPartial }: RecordDocument,
): void {
  const { addresses, actionItems, at, relations = [], relatedAt = at } = document;
  const earlierItems = actionItems ? readItems(index, n) : [];
  const hadItems =
    actionItems !== undefined &&
    index.prepare('select 1 from meeting_items where n = ?').get(n) !== undefined;
  if (!isNew) removeDetails(index, kind, n);
  for (const email of addresses?.emails ?? [])
    index.run(
      'insert into contact_address (n, email, first_name, last_name, organization_id) values (?, ?, ?, ?, ?)',
      ...[n, email, addresses?.first_name, addresses?.last_name, addresses?.organization_id],
    );
  for (const relation of relations)
    index.run(
      'insert or ignore into relation (kind, id, at, n) values (?, ?, ?, ?)',
      ...[relation.kind, relation.id, relatedAt, n],
    );
  if (!actionItems) return;
  const { title, start_at, attendees, texts, isComplete } = actionItems;
  const items = identifyItems(id, texts, earlierItems);
  const ids = new Set(items.map((item) => item.id));
  // The items of a recording that cannot be read at the moment stay.
  const unreadItems = isPartial ? earlierItems.filter((item) => !ids.has(item.id)) : [];
  if (items.length === 0 && !hadItems && isComplete) return;
  index.run(
    'insert into meeting_items (n, id, at, title, start_at, attendees, is_complete) values (?, ?, ?, ?, ?, ?, ?)',
    ...[n, id, at, title, start_at, JSON.stringify(attendees), Number(isComplete)],
  );
  for (const [position, item] of [...items, ...unreadItems].entries())
    index.run(
      'insert into action_item (n, position, id, text) values (?, ?, ?, ?)',
      ...[n, position, item.id, item.text],
    );
}

/** Returns the action items of a meeting in order. */
function readItems(index: IndexFile, n: number): KnownItem[] {
  const selection = index.prepare('select id, text from action_item where n = ? order by position');
  return selection.all(n) as KnownItem[]; // the columns of the statement
}
