import type { LoggedWrite } from '../changes/log.ts';
import { readRecord } from '../changes/nouns.ts';
import { planRevert } from '../changes/plan.ts';
import type { Recorder } from '../changes/recorder.ts';
import { Reverter } from '../changes/revert.ts';
import { type StoredRecord, toBody } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { readTexts } from '../values/field-values.ts';
import type { MergedIds } from './combine-fields.ts';
import { planContact } from './plan-merge.ts';
import type { MergeRecords } from './read-merge.ts';
import type { StoredMerge } from './stored-merge.ts';

/**
 * Creates the contact to keep again if another merge has deleted it at the same time. If another contact has one of its
 * addresses by now, that contact gets the values and entries. Returns the id of the contact that got them.
 */
export async function restoreKept(
  client: Client,
  recorder: Recorder,
  records: MergeRecords,
  { keep }: MergedIds,
): Promise<string> {
  recorder.refuseRevert('Another merge deleted the contact to keep at the same time.');
  const holder = await findHolder(client, records.keep, keep);
  if (holder) await addValues(client, recorder, records.keep, holder);
  try {
    return await restore(client, recorder, records, { keep, holder: holder?.id ?? undefined });
  } catch (error) {
    // The other merge may have created the contact at the same time.
    const other = holder ? undefined : await findHolder(client, records.keep, keep);
    if (!other) throw error;
    await addValues(client, recorder, records.keep, other);
    return restore(client, recorder, records, { keep, holder: other.id ?? undefined });
  }
}

/** Finds a contact that has an address of the contact that was deleted. */
async function findHolder(
  client: Client,
  { emails }: StoredRecord,
  keep: string,
): Promise<StoredRecord | undefined> {
  for (const email of readTexts(emails))
    for (const { value } of await client.findContacts({ email }))
      if (value.id && value.id !== keep) return value as StoredRecord; // a contact
  return undefined;
}

/** Adds the values that a contact lacks, and keeps its own values. */
async function addValues(
  client: Client,
  recorder: Recorder,
  deletedContact: StoredRecord,
  holder: StoredRecord,
): Promise<void> {
  const { changes, emails } = planContact(holder, deletedContact, new Set());
  const place = { noun: 'contact', action: 'update', id: holder.id } as const;
  if (Object.keys(changes).length > 0) await recorder.send({ ...place, body: toBody(changes) });
  for (const email of emails) {
    const isFree = (await client.findContacts({ email })).length === 0;
    if (isFree) await recorder.send({ ...place, body: { emails: [email] } });
  }
}

/** Restores the deleted contact and its related records; only those records if another contact takes its place. */
async function restore(
  client: Client,
  recorder: Recorder,
  { keep: before, related }: MergeRecords,
  { keep, holder }: { readonly keep: string; readonly holder: string | undefined },
): Promise<string> {
  const deletion: LoggedWrite = {
    n: 0,
    noun: 'contact',
    id: keep,
    action: 'delete',
    body: {},
    before: { ...before },
    related,
    missing: [],
    from: undefined,
    outcome: 'done',
    after: undefined,
  };
  const newIds = new Map(holder === undefined ? [] : [[keep, holder]]);
  const plan = await planRevert(
    client,
    { writes: [deletion], at: '' },
    { newIds, creationTimes: new Map(), createdIds: new Set() },
  );
  const reverter = new Reverter(recorder, client.send, { newIds, tags: plan.tags });
  await reverter.run(plan, () => {});
  return reverter.findId(keep);
}

/**
 * Returns the addresses that a merge has taken from the other contact, after the contact that should get them was
 * deleted. Omits addresses that another contact has by now.
 */
export async function returnAddresses(
  client: Client,
  recorder: Recorder,
  { other }: StoredMerge,
): Promise<void> {
  const path = { noun: 'contact', id: other.id } as const;
  const current = await readRecord(client, path);
  if (!current) return;
  const presentEmails = readTexts(current.emails).map((email) => email.toLowerCase());
  for (const email of readTexts(other.emails)) {
    if (presentEmails.includes(email.toLowerCase())) continue;
    const isFree = (await client.findContacts({ email })).length === 0;
    if (isFree) await recorder.send({ ...path, action: 'update', body: { emails: [email] } });
  }
}
