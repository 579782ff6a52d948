import { defineCommand } from '../command/command.ts';
import { describeDeletePrompt } from '../command/writing.ts';
import { createIntegerOption, createTextOption, makeRepeatable, withDefault } from '../flags/options.ts';
import { referenceArgument } from '../flags/references.ts';

const scoreOption = withDefault(
  createIntegerOption('Minimum score of a pair, from 0 to 100', 'N', 0, 100),
  50,
);

/** `contacts duplicates` */
export const contactsDuplicates = defineCommand({
  name: 'duplicates',
  summary: 'List contacts that are likely duplicates',
  description:
    'List pairs of contacts that are likely the same person, the most likely first, with the reasons and a score from ' +
    '0 to 100. The reasons are the same email address, phone number or name, or a similar name within one organization. ' +
    'First and last name may be in either order. Reads all contacts. See kith help records.',
  paging: 'list',
  options: { minScore: scoreOption },
  examples: ['contacts duplicates', 'contacts duplicates --min-score 80 --all --format csv'],
  run: async (session, { minScore }) =>
    (await import('./find-duplicates.ts')).findDuplicateContacts(session, minScore),
});

/** `organizations duplicates` */
export const organizationsDuplicates = defineCommand({
  name: 'duplicates',
  summary: 'List organizations that are likely duplicates',
  description:
    'List pairs of organizations that are likely the same, the most likely first, with the reasons and a score from 0 ' +
    'to 100. The reasons are the same domain, ignoring www and subdomains, or the same or a similar name, ignoring legal ' +
    'forms such as Inc. Reads all organizations. See kith help records.',
  paging: 'list',
  options: { minScore: scoreOption },
  examples: ['organizations duplicates', 'orgs duplicates --min-score 80 --json'],
  run: async (session, { minScore }) =>
    (await import('./find-duplicates.ts')).findDuplicateOrganizations(session, minScore),
});

/** The merge resolves its contacts itself, because an interrupted merge may have deleted OTHER. */
const contact = { ...referenceArgument('contact'), names: undefined };

/** `contacts merge` */
export const contactsMerge = defineCommand({
  name: 'merge',
  summary: 'Merge a contact into another',
  description:
    'Merge the contact OTHER into the contact KEEP: email addresses, phone numbers, field values and list entries. If ' +
    "both have a value for the same field, KEEP's value stays, unless --take names the field. Shows the plan, asks for " +
    'confirmation, and then deletes OTHER. If the merge is interrupted, run the same command again to finish it. See ' +
    'kith help records.',
  isWrite: true,
  hasOwnUndo: true,
  describeInteraction: describeDeletePrompt,
  args: {
    keep: { ...contact, summary: contact.summary.replace('Contact', 'Contact to keep'), placeholder: 'KEEP' },
    other: {
      ...contact,
      summary: contact.summary.replace('Contact', 'Contact to merge into the first one and delete'),
      placeholder: 'OTHER',
    },
  },
  options: {
    take: makeRepeatable(
      createTextOption(
        "Use OTHER's value of this field: first_name, last_name, organization_id or a custom field",
        'FIELD',
      ),
    ),
  },
  examples: [
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --dry-run',
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --take last_name --yes',
  ],
  run: async (session, { keep, other, take = [] }) =>
    (await import('./merge-contacts.ts')).mergeContacts(session, { keep, other, take }),
});
