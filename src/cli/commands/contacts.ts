import { contacts as routes } from '../../contract/contacts.ts';
import { Failure } from '../../contract/errors.ts';
import { views } from '../../output/views.ts';
import { allAtOnce, command } from '../command.ts';
import { listed } from '../listing.ts';
import { text } from '../options.ts';
import { exactlyOne } from '../rules.ts';

export const contacts = [
  command({
    name: 'list',
    summary: 'List contacts',
    examples: ['contacts list', 'contacts list --all --json | jq length'],
    run: (session) => listed(session, routes.list, {}, views.contacts),
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id: 'The id of a contact' },
    examples: ['contacts get 0rlnky', 'contacts get 0rlnky --json'],
    async run({ client }, { id }) {
      const record = await (await client()).contacts.get({ contact_id: id });
      return { kind: 'record', record, view: views.contacts };
    },
  }),
  command({
    name: 'find',
    summary: 'Find a contact by email or phone number',
    description:
      'Find a contact by email or phone number. A phone number may be typed in any common format, with or ' +
      'without its country code. Ends with exit code 3 when nothing matches.',
    options: {
      email: text('Exact email address', 'ADDRESS'),
      phone: text('Phone number, in any common format', 'NUMBER'),
    },
    rules: [exactlyOne('email', 'phone')],
    examples: [
      'contacts find --phone 010-5550-1234',
      'contacts find --email jiwoo.kim@hanbit-cold.example --json',
    ],
    async run({ client }, { email, phone }) {
      const { data } = await (await client()).contacts.list({ email, phone_number: phone });
      if (data.length === 0) {
        const what = email === undefined ? 'phone number' : 'email address';
        throw new Failure('not_found', `No contact has the ${what} "${email ?? phone}".`);
      }
      return { kind: 'records', batches: allAtOnce(data), view: views.contacts };
    },
  }),
];
