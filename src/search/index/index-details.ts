import { identifyItems } from '../../actions/item-id.ts';
import type { KnownItem } from '../../actions/match-items.ts';
import type { Kind } from '../kinds.ts';
import type { ContactAddresses, IndexDocument, MeetingItems } from './documents.ts';
import type { IndexFile } from './index-file.ts';

/** The tables with details about the records of a kind. */
const tables: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  contacts: ['contact_address'],
  meetings: ['meeting_items', 'action_item'],
};

/** Removes the details about a record. */
export function removeDetails(index: IndexFile, kind: Kind, n: number): void {
  for (const table of tables[kind] ?? []) index.run(`delete from ${table} where n = ?`, n);
}

/** Replaces the details about a record. `isPartial`: some texts could not be read. */
export function writeDetails(
  index: IndexFile,
  kind: Kind,
  { n, id, document, isPartial }: { n: number; id: string; document: IndexDocument; isPartial: boolean },
): void {
  const { addresses, actionItems, at } = document;
  const earlierItems = actionItems ? readItems(index, n) : [];
  const hadItems = actionItems !== undefined && hasMeetingItems(index, n);
  removeDetails(index, kind, n);
  if (addresses) writeAddresses(index, n, addresses);
  if (!actionItems) return;
  const { texts, isComplete } = actionItems;
  const items = identifyItems(id, texts, earlierItems);
  const ids = new Set(items.map((item) => item.id));
  // The items of a recording that cannot be read at the moment stay.
  const unreadItems = isPartial ? earlierItems.filter((item) => !ids.has(item.id)) : [];
  if (items.length > 0 || hadItems || !isComplete)
    writeItems(index, { n, id, at }, actionItems, [...items, ...unreadItems]);
}

function writeAddresses(index: IndexFile, n: number, { emails, ...contact }: ContactAddresses): void {
  const { first_name, last_name, organization_id } = contact;
  for (const email of emails)
    index.run(
      'insert into contact_address (n, email, first_name, last_name, organization_id) values (?, ?, ?, ?, ?)',
      ...[n, email, first_name, last_name, organization_id],
    );
}

const hasMeetingItems = (index: IndexFile, n: number): boolean =>
  index.prepare('select 1 from meeting_items where n = ?').get(n) !== undefined;

/** Returns the action items of a meeting in order. */
export function readItems(index: Pick<IndexFile, 'prepare'>, n: number): KnownItem[] {
  const selection = index.prepare('select id, text from action_item where n = ? order by position');
  return selection.all(n) as KnownItem[]; // the columns of the statement
}

function writeItems(
  index: IndexFile,
  { n, id, at }: { n: number; id: string; at: number },
  { title, start_at, attendees, isComplete }: MeetingItems,
  items: readonly KnownItem[],
): void {
  index.run(
    'insert into meeting_items (n, id, at, title, start_at, attendees, is_complete) values (?, ?, ?, ?, ?, ?, ?)',
    ...[n, id, at, title, start_at, JSON.stringify(attendees), Number(isComplete)],
  );
  for (const [position, item] of items.entries())
    index.run(
      'insert into action_item (n, position, id, text) values (?, ?, ?, ?)',
      ...[n, position, item.id, item.text],
    );
}
