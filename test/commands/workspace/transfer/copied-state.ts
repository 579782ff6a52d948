import type { SendOk } from './transfer-machine.ts';

type Json = Readonly<Record<string, unknown>> & { readonly id: string };

async function readAll(sendOk: SendOk, path: string): Promise<Json[]> {
  const records: Json[] = [];
  for (;;) {
    const { data } = await sendOk<{ data: Json[] }>(`GET ${path}?first=500&after=${records.length}`);
    if (data.length === 0) return records;
    records.push(...data);
  }
}

/** Members that a copy does not keep. */
const generated = ['id', 'key', 'list_id', 'created_at', 'updated_at', 'closed_at', 'archived_at'];

/** Returns a value without ids: definitions by name, and references by the name of their record. */
function simplify(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => simplify(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (generated.includes(name)) return [];
      if (name !== 'custom_fields' && name !== 'list_fields') return [[name, simplify(member, names)]];
      const fields = Object.values(member as Record<string, { name: string; value: unknown }>);
      return [[name, fields.map((field) => [field.name, simplify(field.value, names)]).sort()]];
    }),
  );
}

/**
 * Reads the records of a workspace without ids, times and order. Each organization and contact has the records that
 * refer to it, so that records with the same name are told apart.
 */
export async function readCopiedState(sendOk: SendOk) {
  const fields = await readAll(sendOk, '/v1/custom_fields');
  const organizations = await readAll(sendOk, '/v1/organizations');
  const contacts = await readAll(sendOk, '/v1/contacts');
  const lists = await readAll(sendOk, '/v1/lists');
  const notes = await readAll(sendOk, '/v1/notes');
  const entries: Json[] = [];
  for (const { id } of lists) entries.push(...(await readAll(sendOk, `/v1/lists/${id}/entries`)));
  const names = new Map<string, string>();
  for (const { id, name, domains } of organizations) names.set(id, `${name} ${domains}`);
  for (const { id, first_name, emails } of contacts) names.set(id, `${first_name} ${emails}`);
  for (const entry of entries)
    for (const name of [entry.id, entry.key])
      if (typeof name === 'string') names.set(name, `deal of ${names.get(String(entry.entryable_id))}`);
  const listNames = new Map(lists.map(({ id, name }) => [id, name]));
  const toTexts = (records: readonly Json[], add: (record: Json) => object = () => ({})) =>
    records
      .map((record) => JSON.stringify({ ...(simplify(record, names) as object), ...add(record) }))
      .sort();
  const listEntries = (type: string, id: string) =>
    toTexts(
      entries.filter((entry) => entry.entryable_type === type && entry.entryable_id === id),
      ({ list_id }) => ({ list: listNames.get(String(list_id)) }),
    );
  return {
    fields: toTexts(fields),
    lists: toTexts(lists),
    organizations: toTexts(organizations, ({ id }) => ({
      notes: toTexts(notes.filter((note) => note.organization_id === id)),
      contacts: toTexts(contacts.filter((contact) => contact.organization_id === id)),
      entries: listEntries('Organization', id),
    })),
    contacts: toTexts(contacts, ({ id }) => ({ entries: listEntries('Contact', id) })),
  };
}
