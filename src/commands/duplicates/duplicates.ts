import { defineCommand } from '../../cli/command/command.ts';
import {
  createIntegerOption,
  createTextOption,
  makeRepeatable,
  withDefault,
} from '../../cli/command/options.ts';
import { referenceArgument } from '../../cli/flags/references.ts';
import { describeDeletePrompt } from '../../cli/writes/writing.ts';
import { type PartyNoun, pluralNouns } from '../../contract/singular-nouns.ts';

const scoreOption = withDefault(
  createIntegerOption('Minimum score of a pair, from 0 to 100', 'N', 0, 100),
  50,
);

/** `contacts duplicates` */
export const contactsDuplicates = defineCommand({
  name: 'duplicates',
  output: { records: ['duplicate-pair[]'] },
  summary: 'List contacts that are likely duplicates',
  description:
    'List pairs of contacts that are likely the same person, the most likely first, with the reasons and a score from ' +
    '0 to 100. The reasons are the same email address, phone number or name, or a similar name within one organization. ' +
    'First and last name may be in either order. Reads all contacts. To merge a pair: kith contacts merge. See kith help ' +
    'records.',
  paging: 'list',
  options: { minScore: scoreOption },
  examples: ['contacts duplicates', 'contacts duplicates --min-score 80 --all --format csv'],
  run: async (session, { minScore }) =>
    (await import('./find-duplicates.ts')).findDuplicateContacts(session, minScore),
});

/** `organizations duplicates` */
export const organizationsDuplicates = defineCommand({
  name: 'duplicates',
  output: { records: ['duplicate-pair[]'] },
  summary: 'List organizations that are likely duplicates',
  description:
    'List pairs of organizations that are likely the same, the most likely first, with the reasons and a score from 0 ' +
    'to 100. The reasons are the same domain, ignoring www and subdomains, or the same or a similar name, ignoring legal ' +
    'forms such as Inc. Reads all organizations. To merge a pair: kith organizations merge. See kith help records.',
  paging: 'list',
  options: { minScore: scoreOption },
  examples: ['organizations duplicates', 'orgs duplicates --min-score 80 --json'],
  run: async (session, { minScore }) =>
    (await import('./find-duplicates.ts')).findDuplicateOrganizations(session, minScore),
});

/** The texts of a command that merges the records of a noun. */
interface MergeTexts {
  readonly noun: PartyNoun;
  readonly summary: string;
  /** A sentence that lists the parts that the merge moves. */
  readonly description: string;
  /** The fields that --take accepts. */
  readonly fields: string;
  readonly examples: readonly string[];
}

function defineMerge({ noun, summary, description, fields, examples }: MergeTexts) {
  // The merge resolves its records itself, because an interrupted merge may have deleted OTHER.
  const argument = { ...referenceArgument(noun), names: undefined };
  const describeArgument = (role: string) => argument.summary.replace(/^[^:]+/, `$& ${role}`);
  return defineCommand({
    name: 'merge',
    output: { records: [pluralNouns[noun], 'request', 'request[]'] },
    summary,
    description:
      `${description} If both have a value for the same field, KEEP's stays, unless --take names the field. Shows ` +
      'the plan, asks, and deletes OTHER. Run an interrupted merge again. See kith help records.',
    effects: 'deletes',
    recording: 'own',
    describeInteraction: describeDeletePrompt,
    args: {
      keep: { ...argument, summary: describeArgument('to keep'), placeholder: 'KEEP' },
      other: {
        ...argument,
        summary: describeArgument('to merge into the first one and delete'),
        placeholder: 'OTHER',
      },
    },
    options: {
      take: makeRepeatable(createTextOption(`Use OTHER's value of this field: ${fields}`, 'FIELD')),
    },
    examples,
    run: async (session, { keep, other, take = [] }) =>
      (await import('./merge-records.ts')).mergeRecords(session, { noun, keep, other, take }),
  });
}

/** `contacts merge` */
export const contactsMerge = defineMerge({
  noun: 'contact',
  summary: 'Merge a contact into another',
  description:
    'Merge the contact OTHER into the contact KEEP: email addresses, phone numbers, field values and list entries.',
  fields: 'first_name, last_name, organization_id or a custom field',
  examples: [
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --dry-run',
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --take last_name --yes',
  ],
});

export const organizationsMerge = defineMerge({
  noun: 'organization',
  summary: 'Merge an organization into another',
  description:
    'Merge the organization OTHER into the organization KEEP: domains, field values, contacts, and copies ' +
    'of entries and notes, with new ids and creation times.',
  fields: 'name or a custom field',
  examples: [
    'organizations merge 한빛물류 영도필름보관소 --dry-run',
    'organizations merge rl16pk 영도필름보관소 --take name --yes',
  ],
});
