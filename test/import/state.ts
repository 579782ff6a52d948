import { bare, type Shown } from '../cli/jobs/importing.ts';
import type { workspace } from '../service/service.ts';

type Give = ReturnType<typeof workspace>['give'];

async function everything(give: Give, path: string): Promise<Shown[]> {
  const found: Shown[] = [];
  for (;;) {
    const page = await give<{ data: Shown[]; pagination: { has_next_page: boolean } }>(
      `GET ${path}?first=100&after=${found.length}`,
    );
    found.push(...page.data);
    if (!page.pagination.has_next_page) return found;
  }
}

/** All that a workspace holds, apart from ids, times and the order of records: each tells of the others by what they are. */
export async function stateOf(give: Give) {
  const organizations = await everything(give, '/v1/organizations');
  const contacts = await everything(give, '/v1/contacts');
  const names = new Map<unknown, unknown>();
  for (const { id, name, domains } of organizations) names.set(id, name ?? domains);
  for (const { id, emails, first_name } of contacts) names.set(id, `${first_name} ${emails}`);
  const named = (record: Shown) => ({
    ...bare(record),
    ...('organization_id' in record && { organization_id: names.get(record.organization_id) ?? null }),
    ...('entryable_id' in record && { entryable_id: names.get(record.entryable_id), key: '', closed_at: '' }),
  });
  const sorted = (records: readonly Shown[]) => records.map((one) => JSON.stringify(named(one))).sort();
  const entries: string[] = [];
  for (const { id } of await everything(give, '/v1/lists')) {
    entries.push(...sorted(await everything(give, `/v1/lists/${id}/entries`)));
  }
  return { contacts: sorted(contacts), organizations: sorted(organizations), entries };
}
