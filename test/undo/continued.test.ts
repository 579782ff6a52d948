import { createTestClient } from '../client/loopback.ts';
import { funnel, startControlledService } from '../import/controlled-service.ts';
import { createFilledWorkspaces } from '../service/service.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { describeWriter, type Kith } from '../writes/writer.ts';
import { readRecords, toContent } from './recording-machine.ts';

type Stored = { id: string };

/** Creates a workspace in which each kind of record refers to others. */
const createWorkspace = createFilledWorkspaces(async ({ sendOk }) => {
  const send = (path: string, body: object) => sendOk<Stored>(`POST /v1/${path}`, body);
  const field = (model: string, name: string, data_type: string) =>
    send('custom_fields', { model, name, data_type, accepts_multiple_values: data_type === 'contact' });
  const role = await field('contact', 'Role', 'text');
  const friend = await field('contact', 'Friend', 'contact');
  await field('organization', 'Sponsor', 'contact');
  const set = (name: string, value: unknown) => ({ name, value });
  const hanbit = await send('organizations', { name: '한빛', domains: ['hanbit.example', 'hb.example'] });
  const jiwoo = await send('contacts', {
    first_name: '지우',
    emails: ['jiwoo@hanbit.example', 'j@hb.example'],
    phone_numbers: ['+821055509876'],
    organization_id: hanbit.id,
    custom_fields: [set('Role', 'Lead')],
  });
  const ada = await send('contacts', {
    first_name: 'Ada',
    emails: ['ada@b.example'],
    organization_id: hanbit.id,
    custom_fields: [set('Friend', [jiwoo.id]), set('Role', 'Engineer')],
  });
  await sendOk(`PATCH /v1/contacts/${jiwoo.id}`, { custom_fields: [set('Friend', [ada.id, jiwoo.id])] });
  await sendOk(`PATCH /v1/organizations/${hanbit.id}`, { custom_fields: [set('Sponsor', [jiwoo.id])] });
  const note = await send('notes', { organization_id: hanbit.id, body: 'First.' });
  await send('notes', { organization_id: hanbit.id, body: 'Second.' });
  const twins = [];
  for (let count = 0; count < 2; count += 1) twins.push(await send('contacts', { first_name: 'Twin' }));
  const news = await send('lists', { name: 'News', process: false, entry_type: 'Contact' });
  const fields = [
    ...funnel.fields,
    { name: 'Champion', data_type: 'contact', accepts_multiple_values: false },
  ];
  const deals = await send('lists', { ...funnel, entry_type: 'Organization', fields });
  for (const { id } of [jiwoo, ada])
    await send(`lists/${news.id}/entries`, { entryable_id: id, entryable_type: 'Contact' });
  const addDeal = (status: string) =>
    send(`lists/${deals.id}/entries`, {
      entryable_id: hanbit.id,
      entryable_type: 'Organization',
      status,
      contact_id: jiwoo.id,
      one_time_value_cents: status.length,
      list_fields: [set('Champion', jiwoo.id), set('Tier', status)],
    });
  const entry = await addDeal('Lead');
  await addDeal('Won');
  const ids = { NOTE: note.id, ROLE: role.id, FRIEND: friend.id, ENTRY: entry.id };
  return { ...ids, TWINS: twins.map(({ id }) => id).join(' ') };
});

const commands = {
  'a deleted contact': 'contacts delete jiwoo@hanbit.example',
  'two deleted contacts that name each other': 'contacts delete ada@b.example jiwoo@hanbit.example',
  'two equal deleted contacts': 'contacts delete TWINS',
  'a deleted organization': 'organizations delete hanbit.example',
  'a deleted note': 'notes delete NOTE',
  'a deleted custom field of texts': 'custom-fields delete ROLE',
  'a deleted custom field of contacts': 'custom-fields delete FRIEND',
  'a deleted list': 'lists delete News',
  'a deleted process': 'lists delete Funnel',
  'a deleted entry': 'entries delete Funnel ENTRY',
  'an updated contact':
    'contacts update jiwoo@hanbit.example --first-name X --email z@b.example --organization "" --field Role=Y',
  'an updated organization': 'organizations update hanbit.example --name X --domain x.example',
  'an updated note': 'notes update NOTE --body X',
  'an updated custom field': 'custom-fields update ROLE --name X',
  'an updated process': 'lists update Funnel --name X',
  'an updated entry': 'entries update Funnel ENTRY --status Won --contact-id "" --field Tier=Z',
  'removed email addresses': 'contacts remove-emails jiwoo@hanbit.example j@hb.example jiwoo@hanbit.example',
  'removed domains': 'organizations remove-domains hanbit.example hb.example',
  'a created contact with its organization': 'contacts create --email n@new.example --organization auto',
};

for (const [name, command] of Object.entries(commands)) {
  const start = async () => {
    const { file, filled } = await createWorkspace();
    const service = await startControlledService(file);
    const { client } = createTestClient(service.url, 0);
    const line = Object.entries(filled).reduce((text, [word, ids]) => text.replace(word, ids), command);
    return {
      service,
      folder: createTemporaryFolder(),
      prepare: (kith: Kith) => kith(`${line} --yes`),
      read: async () =>
        Object.values(toContent(await readRecords(client)))
          .flat()
          .map((record) => JSON.stringify(record)),
    };
  };
  const [undo, redo] = ['undo --yes', 'redo --yes'];
  describeWriter(
    `undo of ${name}`,
    async () => ({
      ...(await start()),
      line: undo,
      revert: redo,
      reapply: undo,
      busy: 'is reverting a command',
    }),
    1,
  );
}
