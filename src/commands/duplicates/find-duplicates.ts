import { type CommandResult, toBatch } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { readLimit } from '../../cli/command/records.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { type Contact, contacts } from '../../contract/contacts.ts';
import { type Organization, organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import { type PartyNoun, pluralNouns } from '../../contract/singular-nouns.ts';
import {
  type ComparedContact,
  compareContacts,
  listContactKeys,
  toComparedContact,
} from '../../duplicates/contacts.ts';
import { findPairs, type PairRules } from '../../duplicates/find-pairs.ts';
import {
  type ComparedOrganization,
  createOrganizationRules,
  toComparedOrganization,
} from '../../duplicates/organizations.ts';
import { getLabel } from '../../records/label.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { createPairFormatter } from '../../render/duplicate-pairs.ts';
import { views } from '../../render/views.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';

/** A kind of record, `R`, and the parts of it that are compared, `T`. */
interface RecordKind<R, T> {
  readonly noun: PartyNoun;
  readonly readPages: (client: Client) => AsyncIterable<Batch<R>>;
  readonly toCompared: (record: R) => T;
  /** Returns the rules for all records. */
  readonly createRules: (records: readonly T[]) => PairRules<T>;
}

/** Lists likely duplicates among the contacts. */
export const findDuplicateContacts = createFinder<Received<Contact>, ComparedContact>({
  noun: 'contact',
  readPages: (client) => client.pages(contacts.list, {}),
  toCompared: toComparedContact,
  createRules: () => ({ listKeys: listContactKeys, compare: compareContacts }),
});

/** Lists likely duplicates among the organizations. */
export const findDuplicateOrganizations = createFinder<Received<Organization>, ComparedOrganization>({
  noun: 'organization',
  readPages: (client) => client.pages(organizations.list, {}),
  toCompared: toComparedOrganization,
  createRules: createOrganizationRules,
});

/** Returns a function that reads all records of a kind, and keeps of each its id, its name and the compared parts. */
function createFinder<R extends { readonly id: string }, T>({
  noun,
  readPages,
  toCompared,
  createRules,
}: RecordKind<R, T>) {
  return async (session: Session, minScore: number): Promise<CommandResult> => {
    const limit = await readLimit(session);
    const client = await session.client();
    const { pairs, ids, names } = await withProgress(session, async (update) => {
      const { compared, ...read } = await repeatIfChanged(async () => {
        const all = { ids: [] as string[], names: [] as string[], compared: [] as T[] };
        for await (const { records } of requireUnchanged(readPages(client))) {
          for (const { value } of records) {
            all.ids.push(value.id);
            all.names.push(getLabel(pluralNouns[noun], value));
            all.compared.push(toCompared(value));
          }
          update(`Reading ${formatCount(all.ids.length, noun)}`);
        }
        return all;
      });
      update(`Comparing ${formatCount(compared.length, noun)}`);
      const options = { minScore, signal: session.signal };
      return { ...read, pairs: await findPairs(compared, createRules(compared), options) };
    });
    if (pairs.length === 0)
      await session.messages.note(
        `No likely duplicates with a score of ${minScore} or more in ${formatCount(ids.length, noun)}.`,
      );
    const rows = pairs.slice(0, limit).map(({ score, reasons, first, second }) =>
      toRawJson({
        score,
        reasons,
        id: ids[first],
        name: names[first],
        other_id: ids[second],
        other_name: names[second],
      }),
    );
    return {
      kind: 'records',
      batches: toBatch(rows, pairs.length),
      view: views.duplicates,
      ...(session.streams.stdout.isTerminal && { render: createPairFormatter }),
    };
  };
}
