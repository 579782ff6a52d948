import { Failure } from '../contract/errors.ts';
import { isEmail } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { checkNumber, isSameNumber } from '../values/phone.ts';
import { identifyContactPlan, isSameContact, loadContacts, readContactPlanKeys } from './contact-match.ts';
import type { OwnColumns } from './mapping.ts';
import { createOrganizationResolver, foldName } from './organizations.ts';
import type { ImporterOptions } from './record-index.ts';
import { createRecordWriter, readRecord } from './record-writer.ts';
import { Refusal, type RowPlan, type StoredRecord, type Values } from './rows.ts';
import type { Importer } from './run.ts';
import { isNumberLike } from './table.ts';

/** The columns of contacts, apart from custom fields. */
export const contactColumns = {
  emails: {
    aliases: ['email'],
    isMultiple: true,
    check: (text) => (isEmail(text) ? undefined : 'an email address'),
  },
  phone_numbers: { aliases: ['phone', 'phones', 'phone_number'], isMultiple: true, check: checkNumber },
  first_name: {},
  last_name: {},
  organization: {},
  organization_id: {},
} as const satisfies OwnColumns;

export interface ContactImporterOptions extends ImporterOptions {
  /** Whether the service chooses the organization of a new contact by the domain of its first email. */
  readonly autoOrganization: boolean;
  /** Whether a column names organizations. */
  readonly hasOrganizations: boolean;
  /** Whether a row without email and phone number creates a contact each time. */
  readonly allowUnmatched: boolean;
}

const asIs = (text: string) => text;

/** Imports contacts. Each is matched by email, then by phone number. */
export async function createContactImporter(options: ContactImporterOptions): Promise<Importer> {
  const { client } = options;
  const { index, match, lookUp, identify } = await loadContacts(options);
  const resolveOrganization = options.hasOrganizations
    ? await createOrganizationResolver(options)
    : undefined;
  const recordWriter = createRecordWriter(client, index, { what: 'contact' });
  // Only its id identifies a completed row of a report without email and phone number.
  const readReported = async (plan: RowPlan) => {
    const { recordId } = plan;
    if (recordId === undefined || readContactPlanKeys(plan).length > 0) return undefined;
    const contact = await readRecord(client, { what: 'contact' }, recordId);
    if (!contact && isNumberLike(recordId)) {
      throw new Refusal(
        `Contact ${recordId} not found: a spreadsheet may have changed the id. Correct it, or delete it to create the contact again.`,
      );
    }
    return contact;
  };
  return {
    main: 'contact',
    readKeys: readContactPlanKeys,
    compared: {
      identify: identifyContactPlan,
      own: { first_name: asIs, last_name: asIs, organization: foldName, organization_id: asIs },
    },
    async match(plan) {
      const contact = (await match(plan)) ?? (await readReported(plan));
      return contact && recordWriter.refresh(contact);
    },
    identify,
    async write({ plan, agreed, record, writes }) {
      if (!record && readContactPlanKeys(plan).length === 0 && !options.allowUnmatched) {
        throw new Refusal('No email or phone to match on.');
      }
      const { emails, organization, organization_id: ids } = agreed.own;
      const [text] = organization ?? [];
      const id = text === undefined ? ids?.[0] : await resolveOrganization?.(text, writes);
      const isAuto = options.autoOrganization && !resolveOrganization && emails !== undefined;
      const newId = id ?? (isAuto ? 'auto' : undefined);
      const contact = await recordWriter.save(writes, record, {
        planFields: (existing) => (existing ? findChanges(agreed, existing, id) : buildFields(agreed, newId)),
        values: agreed.custom,
        keys: readContactPlanKeys(agreed),
        isMatch: (values) => isSameContact(plan, values),
        isDuplicate: (error) => emails !== undefined && error instanceof Failure && error.code === 'invalid',
        lookUp: (onlyNew) => lookUp(plan, onlyNew),
      });
      if (contact !== record) index.put(contact);
      return contact;
    },
  };
}

/** Returns the fields of a new contact. */
function buildFields({ own }: RowPlan, organization_id: string | undefined): Values {
  const { emails, phone_numbers, first_name, last_name } = own;
  return { first_name: first_name?.[0], last_name: last_name?.[0], emails, phone_numbers, organization_id };
}

/** Returns the fields that differ. PATCH adds emails to the existing ones, but replaces phone numbers. */
function findChanges({ own }: RowPlan, current: StoredRecord, organization_id: string | undefined): Values {
  const storedEmails = readTexts(current.emails).map((email) => email.toLowerCase());
  const emails = (own.emails ?? []).filter((email) => !storedEmails.includes(email.trim().toLowerCase()));
  const numbers = readTexts(current.phone_numbers);
  const newNumbers = (own.phone_numbers ?? []).filter(
    (number) => !numbers.some((stored) => isSameNumber(stored, number)),
  );
  const changeName = (name: 'first_name' | 'last_name') => {
    const [text] = own[name] ?? [];
    return text !== undefined && text.trim() !== current[name]?.trim() && { [name]: text };
  };
  return {
    ...changeName('first_name'),
    ...changeName('last_name'),
    ...(emails.length > 0 && { emails }),
    ...(newNumbers.length > 0 && { phone_numbers: [...numbers, ...newNumbers] }),
    ...(organization_id !== undefined && organization_id !== current.organization_id && { organization_id }),
  };
}
