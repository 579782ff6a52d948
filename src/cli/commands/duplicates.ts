import { defineCommand } from '../command.ts';
import { integer, withDefault } from '../flags/options.ts';

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
