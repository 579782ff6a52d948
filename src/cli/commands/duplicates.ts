import { defineCommand } from '../command.ts';
import { integer, repeated, text, withDefault } from '../flags/options.ts';
import { referenceArgument } from '../flags/references.ts';
import { describeDeletePrompt } from '../writing.ts';

const scoreOption = withDefault(integer('Minimum score of a pair, from 0 to 100', 'N', 0, 100), 50);

/** `contacts duplicates` */
export const contactsDuplicates = defineCommand({
  name: 'duplicates',
  summary: 'List contacts that are likely duplicates',
  description:
    'List pairs of contacts that are likely the same person, the most likely first, with the reasons and a score from ' +
    '0 to 100. Reasons are the same email address, the same phone number, the same name, and a similar name within one ' +
    'organization. Names are compared in either order. Reads all contacts. See kith help records.',
  paging: 'list',
  options: { minScore: scoreOption },
  examples: ['contacts duplicates', 'contacts duplicates --min-score 80 --all --format csv'],
  run: async (session, { minScore }) =>
    (await import('../jobs/duplicates-job.ts')).findDuplicateContacts(session, minScore),
});

/** `organizations duplicates` */
export const organizationsDuplicates = defineCommand({
  name: 'duplicates',
  summary: 'List organizations that are likely duplicates',
  description:
    'List pairs of organizations that are likely the same, the most likely first, with the reasons and a score from 0 ' +
    'to 100. Reasons are the same domain, also with www or as a subdomain, and the same or a similar name without its ' +
    'legal form. Reads all organizations. See kith help records.',
  paging: 'list',
  options: { minScore: scoreOption },
  examples: ['organizations duplicates', 'orgs duplicates --min-score 80 --json'],
  run: async (session, { minScore }) =>
    (await import('../jobs/duplicates-job.ts')).findDuplicateOrganizations(session, minScore),
});

const { placeholder = '', summary } = referenceArgument('contact');

/** `contacts merge` */
export const contactsMerge = defineCommand({
  name: 'merge',
  summary: 'Merge a contact into another',
  description:
    'Merge the contact OTHER into the contact KEEP: email addresses, phone numbers, values and entries. Where both have ' +
    'one value, that of KEEP stays, or with --take that of OTHER. Shows the plan, asks, and then deletes OTHER. If the ' +
    'merge is interrupted, the same command finishes it. See kith help records.',
  isWrite: true,
  describeInteraction: describeDeletePrompt,
  args: {
    keep: { summary: summary.replace('Contact', 'Contact to keep'), placeholder: 'KEEP' },
    other: { summary: `Contact to merge into it and to delete: ${placeholder}`, placeholder: 'OTHER' },
  },
  options: {
    take: repeated(
      text(
        'Field whose value is that of OTHER: first_name, last_name, organization_id or a custom field',
        'FIELD',
      ),
    ),
  },
  examples: [
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --dry-run',
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --take last_name --yes',
  ],
  run: async (session, { keep, other, take = [] }) =>
    (await import('../jobs/merge-job.ts')).mergeContacts(session, { keep, other, take }),
});
