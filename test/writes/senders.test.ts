import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { readReport } from '../commands/import/import-machine.ts';
import { readCopiedState } from '../commands/workspace/transfer/copied-state.ts';
import { createTransferMachine } from '../commands/workspace/transfer/transfer-machine.ts';
import { funnel, startControlledService } from '../import/controlled-service.ts';
import { readState } from '../import/state.ts';
import { createFilledWorkspaces } from '../service/service.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { describeWriter, type Kith, type Writer } from './writer.ts';

/** Creates a workspace with an organization, and four of its contacts in a process. */
const createWorkspace = createFilledWorkspaces(async ({ create }) => {
  const organization = await create('organizations', { name: '한빛' });
  const list = await create('lists', funnel);
  const ids: string[] = [];
  for (const first_name of ['ada', 'bo', '지우', 'omar']) {
    const emails = [`${first_name}@a.example`, `${first_name}@b.example`];
    const id = await create('contacts', { first_name, emails, organization_id: organization });
    await create(`lists/${list}/entries`, { entryable_id: id, entryable_type: 'Contact', status: 'Lead' });
    ids.push(id);
  }
  return { ids, organization };
});

async function openWorkspace() {
  const { file, filled } = await createWorkspace();
  const service = await startControlledService(file);
  const read = async () => Object.values(await readState(service.sendOk)).flat();
  return { ...filled, service, folder: createTemporaryFolder(), read };
}

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

/** Describes a command on such a workspace. */
const describeCommand = (
  name: string,
  toWriter: (workspace: Workspace) => Partial<Writer> & Pick<Writer, 'line' | 'busy'>,
) =>
  describeWriter(name, async () => {
    const workspace = await openWorkspace();
    return { ...workspace, ...toWriter(workspace) };
  });

/** The messages of a command that is still running, and that continues. */
const toMessages = (command: string) => ({
  busy: `is running \`kith ${command}\` with the same input`,
  continued: `Continuing the interrupted \`kith ${command}\``,
});

const toBatch = ({ ids, organization }: Workspace, deleted: readonly (string | readonly string[])[]) =>
  [
    { command: 'contacts create', first_name: 'Eve', email: ['eve@a.example'] },
    { command: 'entries add', list: 'Funnel', contact: '$1.id', status: 'Lead' },
    { command: 'contacts create', first_name: 'Eve' },
    { command: 'contacts create', first_name: 'Eve' },
    { command: 'notes create', organization, body: 'Met.' },
    { command: 'contacts update', id: ids[0], last_name: 'Kim' },
    { command: 'contacts remove-emails', id: ids[1], email: ['bo@b.example'] },
    ...deleted.map((id) => ({ command: 'contacts delete', id })),
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');

describeCommand('contacts update -', ({ ids }) => ({
  line: 'contacts update - --last-name Kim --yes',
  stdin: ids.join('\n'),
  ...toMessages('contacts update'),
}));
describeCommand('contacts delete -', ({ ids }) => ({
  line: 'contacts delete - --yes',
  stdin: ids.join('\n'),
  ...toMessages('contacts delete'),
}));
// A line that a guard refuses counts as wrong: the same batch would begin again. So does a line that deletes several
// records, whatever the reason for which one of them is refused.
describeCommand('batch', (workspace) => ({
  line: 'batch - --yes',
  stdin: toBatch(workspace, [workspace.ids.slice(2)]),
  ...toMessages('batch'),
  unfit: ['guard', 'key revoked', 'disk full'],
}));
describeCommand('batch --parallel', (workspace) => ({
  line: 'batch - --yes --parallel 3',
  stdin: toBatch(workspace, workspace.ids.slice(2)),
  ...toMessages('batch'),
  unfit: ['guard'],
}));

/** Checks out a working copy, and creates, changes and deletes records in it. */
async function editCopy(kith: Kith, root: string, [ada]: readonly string[]): Promise<void> {
  expect(await kith(`workspace checkout ${root}`)).toMatchObject({ code: 0 });
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  write('organizations/acme.yaml', 'name: Acme\ndomains: [acme.example]\n');
  write('organizations/acme/notes/call.md', 'Met.\n');
  for (const name of ['eve', 'eve-2']) write(`contacts/${name}.yaml`, 'first_name: Eve\n');
  write('contacts/jane.yaml', 'first_name: Jane\nemails: [jane@a.example]\norganization: acme.example\n');
  write('lists/funnel/lead/jane.yaml', 'contact: jane@a.example\n');
  write('contacts/ada.yaml', `id: ${ada}\nfirst_name: ada\nlast_name: Kim\n`);
  rmSync(join(root, 'contacts/bo.yaml'));
}

describeCommand('workspace push', ({ folder, ids }) => ({
  line: `workspace push ${join(folder, 'crm')} --yes`,
  prepare: (kith) => editCopy(kith, join(folder, 'crm'), ids),
  readReport: (kith) => kith(`workspace status ${join(folder, 'crm')} --json`),
  ...toMessages('workspace push'),
  busy: 'Another run is pushing',
}));

describeWriter('workspace copy', async () => {
  const { sendOk, folder, file, ...service } = await createTransferMachine();
  return {
    service: { ...service, sendOk },
    folder,
    env: {},
    line: `workspace copy ${file} team --yes`,
    revert: 'undo --yes --profile team',
    // If the entries were created in another order, a redo exchanges their keys in the notes.
    reapply: null,
    read: async () => Object.values(await readCopiedState(sendOk)).flat(),
    ...toMessages('workspace copy'),
    busy: 'Another run is importing into',
  };
});

const files = {
  contacts: [
    'email,phone,first_name,organization',
    'ada@a.example,,Ada,', // changes a contact
    ',+821055501234,Bo,Acme',
    ',010-5550-1234,Bo,acme', // the same person and organization
    'c@x.example,+8225550100,Cy,Acme',
    'd@x.example,+8225550100,Di,Umbrella', // another person with the same switchboard
    ',+821055501234,Bo,',
    'C@X.example;c2@x.example,,Cy,',
  ],
  organizations: [
    'name,domain',
    'Acme,acme.example',
    'ACME,https://acme.example',
    'Umbrella,',
    '한빛,hb.example',
  ],
  notes: ['Company,Notes', '한빛,Call', '한빛,Meeting', '한빛,Call'],
};

for (const [noun, lines] of Object.entries(files))
  describeCommand(`${noun} import`, ({ folder }) => {
    const file = join(folder, 'rows.csv');
    const report = join(folder, 'rows.report.csv');
    writeFileSync(file, lines.join('\n'));
    const flags = noun === 'contacts' ? '--list Funnel --status Lead' : '';
    const readActions = () => readReport(report).map(({ action }) => action);
    return {
      line: `${noun} import ${file} ${flags} --concurrency 4`,
      revert: `${noun} import --undo ${report} --yes`,
      reapply: `${noun} import ${file} ${flags}`,
      readReport: readActions,
      checkStopped: () => expect(readActions()).toHaveLength(lines.length - 1),
      busy: 'Another run is writing',
      continued: 'Continuing the interrupted',
    };
  });
