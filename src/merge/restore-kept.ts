import { type LoggedCommand, toLoggedWrite } from '../changes/log.ts';
import { readRecord } from '../changes/nouns.ts';
import { planRevert } from '../changes/plan.ts';
import type { Recorder } from '../changes/recorder.ts';
import { Reverter } from '../changes/revert.ts';
import { type StoredRecord, toBody } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { isSameValue } from '../contract/field-types.ts';
import { organizations } from '../contract/organizations.ts';
import { readTexts } from '../values/field-values.ts';
import { type MergedIds, type MergeNoun, mergeNouns } from './merge-nouns.ts';
import { planFields, planMerge } from './plan-merge.ts';
import { type MergeRecords, readMergeRecords } from './read-merge.ts';
import { MergeRun } from './run-merge.ts';
import type { StoredMerge } from './stored-merge.ts';

/**
 * Creates the record to keep again if another merge has deleted it at the same time. If another record has one of its
 * addresses by now, that record gets the values, the entries and the notes. Returns the id of the record that got them.
 */
export async function restoreKept(
  client: Client,
  recorder: Recorder,
  records: MergeRecords,
  { noun, keep }: MergedIds,
): Promise<string> {
  recorder.refuseRevert(`Another merge deleted the ${noun} to keep at the same time.`);
  const findHolder = () => findOwner(client, noun, readTexts(records.keep[mergeNouns[noun].addresses]), keep);
  const holder = await findHolder();
  if (holder) await addValues(client, recorder, noun, { from: records.keep, to: holder });
  try {
    return await restore(client, recorder, records, { noun, keep, holder: holder?.id });
  } catch (error) {
    // The other merge may have created the record at the same time.
    const other = holder ? undefined : await findHolder();
    if (!other) throw error;
    await addValues(client, recorder, noun, { from: records.keep, to: other });
    return restore(client, recorder, records, { noun, keep, holder: other.id });
  }
}

/** Finds a record that has one of some email addresses or domains. */
async function findOwner(
  client: Client,
  noun: MergeNoun,
  texts: readonly string[],
  excludedId?: string,
): Promise<StoredRecord | undefined> {
  if (texts.length === 0) return undefined;
  if (noun === 'contact') {
    for (const email of texts)
      for (const { value } of await client.findContacts({ email }))
        if (value.id && value.id !== excludedId) return value as StoredRecord; // a contact
    return undefined;
  }
  // The API has no lookup by domain.
  const isWanted = (domain: string) => texts.some((text) => isSameValue(domain, text, 'domain'));
  for await (const { value } of client.records(organizations.list, {}, { size: 500 }))
    if (value.id !== excludedId && readTexts(value.domains).some(isWanted)) return value;
  return undefined;
}

/** Adds each address to a record, unless a record already has it. */
async function addFreeAddresses(
  client: Client,
  recorder: Recorder,
  { noun, id }: { readonly noun: MergeNoun; readonly id: string },
  texts: readonly string[],
): Promise<void> {
  for (const text of texts) {
    if (await findOwner(client, noun, [text])) continue;
    await recorder.send({ noun, id, action: 'update', body: { [mergeNouns[noun].addresses]: [text] } });
  }
}

/** Adds the values that a record lacks, and keeps its own values. */
async function addValues(
  client: Client,
  recorder: Recorder,
  noun: MergeNoun,
  { from, to }: { readonly from: StoredRecord; readonly to: StoredRecord },
): Promise<void> {
  const { changes, addresses } = planFields(noun, to, from, new Set());
  const place = { noun, id: to.id } as const;
  if (Object.keys(changes).length > 0)
    await recorder.send({ ...place, action: 'update', body: toBody(changes) });
  await addFreeAddresses(client, recorder, place, addresses);
}

/** Restores the deleted record and its related records. If there is a holder, attaches the related records to it. */
async function restore(
  client: Client,
  recorder: Recorder,
  { keep: before, related }: MergeRecords,
  {
    noun,
    keep,
    holder,
  }: { readonly noun: MergeNoun; readonly keep: string; readonly holder: string | undefined },
): Promise<string> {
  const deletion = toLoggedWrite(
    { n: 0, noun, list_id: undefined, id: keep, action: 'delete', body: {}, before: { ...before } },
    related,
  );
  const newIds = new Map(holder === undefined ? [] : [[keep, holder]]);
  const plan = await planRevert(
    client,
    { writes: [{ ...deletion, outcome: 'done' }], at: '' },
    { newIds, creationTimes: new Map(), createdIds: new Set() },
  );
  const reverter = new Reverter(recorder, client.send, { newIds, tags: plan.tags });
  await reverter.run(plan, () => {});
  return reverter.findId(keep);
}

/**
 * Moves the entries, notes, contacts and free addresses back to the other record, after someone deleted the record to
 * keep.
 */
export async function returnToOther(
  client: Client,
  recorder: Recorder,
  merge: StoredMerge,
  { writes }: Pick<LoggedCommand, 'writes'>,
): Promise<void> {
  const { noun, keep, other } = merge;
  // The plan of the opposite merge creates the deleted entries and notes again.
  const ids = { noun, keep: other.id, other: keep };
  const opposite: StoredMerge = {
    ...merge,
    keep: other.id,
    other: { id: keep, phone_numbers: [] },
    entries: [],
    notes: [],
    copies: new Map(),
  };
  const records = await readMergeRecords(client, ids, { interrupted: opposite, onRead: () => {} });
  await new MergeRun({ client, recorder }).sendCopies({
    plan: planMerge(records, ids, new Set(), opposite),
    records,
  });
  for (const { noun, id, body } of writes) {
    if (noun !== 'contact' || body.organization_id !== keep) continue;
    const contact = await readRecord(client, { noun, id });
    if (contact && !contact.organization_id)
      await recorder.send({ noun, id, action: 'update', body: { organization_id: other.id } });
  }
  const { addresses, addressType } = mergeNouns[noun];
  const presentTexts = readTexts(records.keep[addresses]);
  const isPresent = (text: string) => presentTexts.some((present) => isSameValue(present, text, addressType));
  const missingTexts = readTexts(other[addresses]).filter((text) => !isPresent(text));
  await addFreeAddresses(client, recorder, { noun, id: other.id }, missingTexts);
}
