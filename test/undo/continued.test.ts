import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createTestClient, sendJson } from '../client/loopback.ts';
import {
  funnel,
  loseConnection,
  restoreConnection,
  startControlledService,
} from '../import/controlled-service.ts';
import { createFilledWorkspaces, type TestWorkspace } from '../service/service.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { shuffle } from '../support/rounds.ts';
import { readRecords, toContent } from './recording-machine.ts';

type Stored = { id: string };

/** Creates a workspace in which each kind of record refers to others. */
const createWorkspace = createFilledWorkspaces(async ({ sendOk }: TestWorkspace) => {
  const send = (path: string, body: object) => sendOk<Stored>(`POST /v1/${path}`, body);
  const field = (model: string, name: string, data_type: string) =>
    send('custom_fields', { model, name, data_type, accepts_multiple_values: data_type === 'contact' });
  await field('contact', 'Role', 'text');
  await field('contact', 'Friend', 'contact');
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
  for (const body of ['First.', 'Second.']) await send('notes', { organization_id: hanbit.id, body });
  const news = await send('lists', { name: 'News', process: false, entry_type: 'Contact' });
  const fields = [
    ...funnel.fields,
    { name: 'Champion', data_type: 'contact', accepts_multiple_values: false },
  ];
  const deals = await send('lists', { ...funnel, entry_type: 'Organization', fields });
  for (const { id } of [jiwoo, ada])
    await send(`lists/${news.id}/entries`, { entryable_id: id, entryable_type: 'Contact' });
  for (const status of ['Lead', 'Won'])
    await send(`lists/${deals.id}/entries`, {
      entryable_id: hanbit.id,
      entryable_type: 'Organization',
      status,
      contact_id: jiwoo.id,
      one_time_value_cents: status.length,
      list_fields: [set('Champion', jiwoo.id), set('Tier', status)],
    });
});

/** A machine on such a workspace, with a service whose writes fail as a test asks. */
async function createFailingMachine() {
  const { file } = await createWorkspace();
  const { url, env, control, clock, takeWrites } = await startControlledService(file);
  const machine = createMachine(createTemporaryFolder());
  const kith = (line: string) => {
    const now = new Date(Date.parse(clock.time) + 3_600_000);
    clock.time = now.toISOString();
    return machine(`${line} --yes --retries 0`, { env: { ...env, KITH_UNDO: 'on' }, now });
  };
  const run = async (line: string) => {
    const { code, err } = await kith(line);
    if (code !== 0) throw new Error(`kith ${line} exited with ${code}: ${err}`);
  };
  const { client } = createTestClient(url, 0);
  const read = () => readRecords(client);
  return { kith, run, read, readContent: async () => toContent(await read()), control, takeWrites };
}

const drop = (response: ServerResponse) => void response.destroy();
const refuse = (response: ServerResponse) => sendJson(response, 503, { message: 'Unavailable.' });

/** How a write fails: before or after the service has carried it out. Without a connection, it cannot be looked up. */
const faults = [
  { hook: 'connection', fail: drop },
  { hook: 'after', fail: drop },
  { hook: 'before', fail: drop },
  { hook: 'before', fail: refuse },
] as const;

const commands = {
  'a deleted contact': 'contacts delete jiwoo@hanbit.example',
  'two deleted contacts that name each other': 'contacts delete ada@b.example jiwoo@hanbit.example',
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

test.each(Object.entries(commands))(
  'continues an undo of %s that stops at a write: nothing is lost or duplicated',
  async (_, line) => {
    const { kith, run, read, readContent, control, takeWrites } = await createFailingMachine();
    const runCommand = async () => {
      const { notes, fields, entries } = await read();
      const find = (name: string) => String(fields?.find((field) => field.name === name)?.id);
      const ids = {
        NOTE: notes?.[0]?.id,
        ROLE: find('Role'),
        FRIEND: find('Friend'),
        ENTRY: entries?.[2]?.id,
      };
      const replaced = Object.entries(ids).reduce((text, [name, id]) => text.replace(name, String(id)), line);
      await run(replaced);
    };
    const before = await readContent();
    await runCommand();
    let after = await readContent();
    expect(after).not.toEqual(before);
    takeWrites();
    await run('undo');
    const writes = takeWrites();
    expect(await readContent()).toEqual(before);
    const stops = writes.flatMap((_, index) => faults.map((fault) => ({ index, ...fault })));
    for (const { index, hook, fail } of shuffle(stops, 1)) {
      await runCommand();
      after = await readContent();
      let left = index;
      const isStop = ({ method }: { method: string }) => method !== 'GET' && left-- === 0;
      if (hook === 'connection') loseConnection(control, isStop);
      else
        control[hook] = (request, response) => {
          const isNow = isStop(request);
          if (isNow) fail(response);
          return isNow;
        };
      const stop = `${writes[index]} ${hook}`;
      const { code } = await kith('undo');
      expect(left, stop).toBeLessThan(0); // an undo goes on after it has looked up a write
      restoreConnection(control);
      if (code !== 0) await run('undo');
      expect(await readContent(), stop).toEqual(before);
    }
    await run('redo');
    expect(await readContent()).toEqual(after);
    await run('undo');
    expect(await readContent()).toEqual(before);
  },
  300_000,
);
