import { type JsonRecord, stripGenerated } from '../commands/import/import-machine.ts';
import type { TestWorkspace } from '../service/service.ts';

type RequestJson = TestWorkspace['sendOk'];

async function readAllPages(sendOk: RequestJson, path: string): Promise<JsonRecord[]> {
  const records: JsonRecord[] = [];
  for (;;) {
    const page = await sendOk<{ data: JsonRecord[]; pagination: { has_next_page: boolean } }>(
      `GET ${path}?first=100&after=${records.length}`,
    );
    records.push(...page.data);
    if (!page.pagination.has_next_page) return records;
  }
}

/** Reads the records of a workspace without ids, times and order. References are replaced by names. */
export async function readState(sendOk: RequestJson) {
  const organizations = await readAllPages(sendOk, '/v1/organizations');
  const contacts = await readAllPages(sendOk, '/v1/contacts');
  const names = new Map<unknown, unknown>();
  for (const { id, name, domains } of organizations) names.set(id, name ?? domains);
  for (const { id, emails, first_name } of contacts) names.set(id, `${first_name} ${emails}`);
  const withNames = (record: JsonRecord) => ({
    ...stripGenerated(record),
    ...('organization_id' in record && { organization_id: names.get(record.organization_id) ?? null }),
    ...('entryable_id' in record && { entryable_id: names.get(record.entryable_id), key: '', closed_at: '' }),
  });
  const toSortedJson = (records: readonly JsonRecord[]) =>
    records.map((one) => JSON.stringify(withNames(one))).sort();
  const entries: string[] = [];
  const deals = new Map<unknown, unknown>();
  for (const { id } of await readAllPages(sendOk, '/v1/lists')) {
    const records = await readAllPages(sendOk, `/v1/lists/${id}/entries`);
    for (const entry of records)
      for (const name of [entry.id, entry.key ?? entry.id]) deals.set(name, withNames(entry));
    entries.push(...toSortedJson(records));
  }
  const notes = (await readAllPages(sendOk, '/v1/notes')).map((note) => ({
    ...note,
    deal_id: deals.get(note.deal_id) ?? note.deal_id,
  }));
  return {
    contacts: toSortedJson(contacts),
    organizations: toSortedJson(organizations),
    entries,
    notes: toSortedJson(notes),
  };
}
