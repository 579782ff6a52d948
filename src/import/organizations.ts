import { isTaken } from '../contract/errors.ts';
import { organizations } from '../contract/organizations.ts';
import { listIndexKeys, listMatchSteps, listNameKeys, shareValue } from '../records/match.ts';
import { extractHost } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import type { StoredRecord, Values } from '../writes/values.ts';
import { type RowBody, toNamedValues } from './body-errors.ts';
import type { OwnColumns, RowPlan } from './mapping.ts';
import { Refusal, requireOne } from './outcome.ts';
import { createColumns, createComparedColumns, findNewValues, readOwnValues } from './own-fields.ts';
import { createRecordIndex, type ImporterOptions, loadList, type StoredIndex } from './record-index.ts';
import { type GroupWrites, predictRecord, RecordWriter, type RowWrites } from './record-writer.ts';
import { combineOwnTexts } from './row-groups.ts';
import type { Importer } from './run.ts';

/** The columns of organizations, apart from custom fields. */
export function createOrganizationColumns(): OwnColumns {
  const { name, ...columns } = createColumns('organizations');
  return { name: { ...name, aliases: ['organization'] }, ...columns };
}

/** Returns the bodies that a row may need, to check them. */
export const planOrganizationBodies = (plan: RowPlan): RowBody[] => [
  {
    noun: 'organization',
    body: { ...planFields(plan, undefined), custom_fields: toNamedValues(plan.custom) },
  },
];

/** Imports organizations. Matches each row by domain, then by name. */
export async function createOrganizationImporter(options: ImporterOptions): Promise<Importer> {
  const matcher = await loadOrganizations(options);
  const { index } = matcher;
  const recordWriter = new RecordWriter(options.client, { noun: 'organization' });
  return {
    main: 'organization',
    readKeys: (plan) => matcher.readKeys(plan),
    comparedColumns: {
      ...createComparedColumns('organizations'),
      name: (left, right) => foldName(String(left)) === foldName(String(right)),
    },
    async match(plan, row) {
      if (matcher.readKeys(plan).length === 0) throw new Refusal('No domain or name to match on.');
      return matcher.predict(matcher.match(plan), plan, row);
    },
    async write(group) {
      const record = index.get(group.key);
      const plan = combineOwnTexts(group.rows);
      const organization = await recordWriter.save(group, record, {
        planFields: (row, existing) => planFields(row.plan, existing),
        listValues: (row) => row.plan.custom,
        keys: matcher.readKeys(plan),
        isMatch: (values) => !haveOtherDomains(plan, values),
        isDuplicate: (error) => plan.ownTexts.domains !== undefined && isTaken(error),
        lookUp: (onlyNew) => matcher.lookUp(plan, onlyNew),
      });
      if (organization !== record) index.put(organization);
      return organization;
    },
  };
}

/** Returns the fields of a new organization, or the changed fields of an existing one. */
function planFields(plan: RowPlan, existing: StoredRecord | undefined): Values {
  if (!existing) return readOwnValues('organizations', plan);
  const { name, ...changes } = findNewValues('organizations', plan, existing);
  // Rows that differ only in case must not rename it in turn.
  const isRenamed = name !== undefined && foldName(String(name)) !== foldName(existing.name ?? '');
  return { ...(isRenamed && { name }), ...changes };
}

/** Reads the organizations. */
export async function loadOrganizations(options: ImporterOptions): Promise<OrganizationMatcher> {
  const index = createRecordIndex(options, (record) => listIndexKeys('organizations', record));
  const { reload } = await loadList(options, index, organizations.list);
  return new OrganizationMatcher(index, reload);
}

/** Matches rows with organizations in an index that has all of them. */
class OrganizationMatcher {
  readonly index: StoredIndex;
  readonly reload: (onlyNew: boolean) => Promise<unknown>;
  /** The organizations with the changes of the rows so far. */
  readonly #predictedRecords: StoredIndex;

  /** `reload` reads the list into the index again, or only the records added since. */
  constructor(index: StoredIndex, reload: (onlyNew: boolean) => Promise<unknown>) {
    this.index = index;
    this.reload = reload;
    this.#predictedRecords = index.createOverlay();
  }

  read(id: string): StoredRecord | undefined {
    return this.index.get(id);
  }

  /** Returns the keys that rows about one organization have in common. */
  readKeys({ ownTexts }: RowPlan): string[] {
    return listIndexKeys('organizations', ownTexts);
  }

  /** Returns the organization of a row, with the changes of earlier rows. @throws {Refusal} if several match */
  match(plan: RowPlan): StoredRecord | undefined {
    return this.#find(plan, this.#predictedRecords);
  }

  /** Predicts the organization of a row for later rows, and returns its id. */
  predict(current: StoredRecord | undefined, plan: RowPlan, row: number): string {
    const body = planFields(plan, current);
    const predicted = predictRecord({ id: current?.id, body }, current, row);
    if (Object.keys(body).length > 0) this.#predictedRecords.put(predicted);
    return predicted.id;
  }

  /** Reads the organizations again, and returns the organization of the rows. */
  async lookUp(plan: RowPlan, onlyNew: boolean): Promise<StoredRecord | undefined> {
    await this.reload(onlyNew);
    return this.#find(plan, this.index);
  }

  /** Returns the organization that a cell names by id, domain or name. @throws {Refusal} if several match */
  findNamed(text: string): StoredRecord | undefined {
    const byId = this.index.get(text.trim()) ?? [];
    const byKey = listNameKeys('organizations', text).flatMap((key) => this.index.findSome(key));
    return requireOneWith([byId, byKey].flat(), 'name', [text]);
  }

  /** Finds the organization of a row. An entry's row may name an existing organization by id, domain or name. */
  #find({ ownTexts }: RowPlan, index: StoredIndex): StoredRecord | undefined {
    for (const { field, keys } of listMatchSteps('organizations', ownTexts)) {
      const column = field === 'domain' ? 'domains' : 'name';
      const matches = keys.flatMap((key) => index.findSome(key));
      const organization = requireOneWith(matches, column, ownTexts[column] ?? []);
      if (organization) return organization;
    }
    const [text] = ownTexts.organization ?? [];
    return text === undefined ? undefined : this.findNamed(text);
  }
}

function requireOneWith(matches: readonly StoredRecord[], field: string, values: readonly string[]) {
  return requireOne(matches, `Several organizations have the ${field} "${values.join('; ')}"`);
}

/** Whether values that share a name with a row describe another organization: both have domains, and none in common. */
const haveOtherDomains = ({ ownTexts }: RowPlan, values: Values): boolean =>
  [ownTexts, values].every(({ domains }) => readTexts(domains).length > 0) &&
  !shareValue('organizations', 'domain', ownTexts, values);

/**
 * Returns functions that find an organization by the text of a cell, or else create it. If several rows name a new
 * organization, one row creates it. Reads the list again first, because someone else may have created it.
 */
export async function createOrganizationResolver(options: ImporterOptions): Promise<{
  readonly find: (text: string) => StoredRecord | undefined;
  readonly resolve: (text: string, group: GroupWrites, row: RowWrites) => Promise<string>;
}> {
  const matcher = await loadOrganizations(options);
  const recordWriter = new RecordWriter(options.client, { noun: 'organization' });
  const pendingCreates = new Map<string, Promise<string>>();
  const create = async (text: string, group: GroupWrites) => {
    const organization = await recordWriter.save(group, undefined, {
      planFields: (_, existing) => (existing ? {} : planNamed(text)),
      listValues: () => [],
      keys: [foldName(text)],
      isDuplicate: isTaken,
      lookUp: (onlyNew) => matcher.reload(onlyNew).then(() => matcher.findNamed(text)),
    });
    matcher.index.put(organization);
    return organization.id;
  };
  const resolve = async (text: string, group: GroupWrites, row: RowWrites) => {
    const key = foldName(text);
    // The row whose create fails reports it. The rows that waited for it try again, one after the other.
    while (pendingCreates.has(key)) await pendingCreates.get(key)?.catch(() => {});
    const storedOrganization = matcher.findNamed(text);
    if (storedOrganization) return storedOrganization.id;
    const creation = create(text.trim(), { ...group, rows: [row] }).finally(() => pendingCreates.delete(key));
    pendingCreates.set(key, creation);
    return creation;
  };
  return { find: (text) => matcher.findNamed(text), resolve };
}

/** Returns the fields of a new organization from a cell: a domain if the text looks like one, else a name (`Node.js`). */
export function planNamed(text: string): Values {
  const isDomain = extractHost(text) !== undefined && (text === text.toLowerCase() || text.includes('://'));
  return isDomain ? { domains: [text] } : { name: text };
}
