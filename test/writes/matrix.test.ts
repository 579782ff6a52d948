import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { sendJson } from '../client/loopback.ts';
import {
  funnel,
  loseConnection,
  restoreConnection,
  startControlledService,
} from '../import/controlled-service.ts';
import { readState } from '../import/state.ts';
import { createFilledWorkspaces } from '../service/service.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { shuffle } from '../support/rounds.ts';

/** Creates a workspace with an organization, and four of its contacts in a process. */
const createWorkspace = createFilledWorkspaces(async ({ sendOk }) => {
  const create = (path: string, body: object) => sendOk<{ id: string }>(`POST /v1/${path}`, body);
  const { id: organization } = await create('organizations', { name: '한빛' });
  const { id: list } = await create('lists', funnel);
  const ids: string[] = [];
  for (const first_name of ['ada', 'bo', '지우', 'omar']) {
    const emails = [`${first_name}@a.example`, `${first_name}@b.example`];
    const { id } = await create('contacts', { first_name, emails, organization_id: organization });
    await create(`lists/${list}/entries`, { entryable_id: id, entryable_type: 'Contact', status: 'Lead' });
    ids.push(id);
  }
  return { ids, organization };
});

/** Opens a workspace. Commands run an hour after each other, because clocks may differ by minutes. */
async function openMachine() {
  const { file, filled } = await createWorkspace();
  const service = await startControlledService(file);
  const folder = createTemporaryFolder();
  const machine = createMachine(folder);
  const kith = (line: string, stdin = '', signal = new AbortController().signal) => {
    const now = new Date(Date.parse(service.clock.time) + 3_600_000);
    service.clock.time = now.toISOString();
    const env = { ...service.env, KITH_UNDO: 'on' };
    return machine(line, { env, stdin, now, signal, sleep: async () => {} });
  };
  return { ...service, ...filled, folder, kith };
}

type Machine = Awaited<ReturnType<typeof openMachine>>;
const toIds = ({ ids }: Machine) => ids.join('\n');
const toLines = (values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n');

const toBatch = ({ ids, organization }: Machine) =>
  toLines([
    { command: 'contacts create', first_name: 'Eve', email: ['eve@a.example'] },
    { command: 'entries add', list: 'Funnel', contact: '$1.id', status: 'Lead' },
    { command: 'contacts create', first_name: 'Eve' },
    { command: 'contacts create', first_name: 'Eve' },
    { command: 'notes create', organization, body: 'Met.' },
    { command: 'contacts update', id: ids[0], last_name: 'Kim' },
    { command: 'contacts remove-emails', id: ids[1], email: ['bo@b.example'] },
    { command: 'contacts delete', id: [ids[2], ids[3]] },
  ]);

/** Checks out a working copy, and creates, changes and deletes records in it. */
async function editCopy({ kith, folder, ids }: Machine): Promise<string> {
  const root = join(folder, 'crm');
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
  write('contacts/ada.yaml', `id: ${ids[0]}\nfirst_name: ada\nlast_name: Kim\n`);
  rmSync(join(root, 'contacts/bo.yaml'));
  return `workspace push ${root} --yes`;
}

interface Command {
  /** Prepares the workspace, and returns the command line. */
  readonly prepare: (machine: Machine) => string | Promise<string>;
  readonly toInput?: (machine: Machine) => string;
  readonly revert?: string;
}

const commands: Readonly<Record<string, Command>> = {
  batch: { prepare: () => 'batch - --yes', toInput: toBatch },
  'batch --parallel': { prepare: () => 'batch - --yes --parallel 3', toInput: toBatch },
  'workspace push': { prepare: editCopy },
  'contacts merge': { prepare: ({ ids }) => `contacts merge ${ids[0]} ${ids[1]} --yes` },
  'contacts update -': { prepare: () => 'contacts update - --last-name Kim --yes', toInput: toIds },
  'contacts delete -': { prepare: () => 'contacts delete - --yes', toInput: toIds },
  undo: {
    prepare: ({ kith, ids }) => kith(`contacts delete ${ids.join(' ')} --yes`).then(() => 'undo --yes'),
    revert: 'redo --yes',
  },
};

type Request = { readonly method: string };
const isWrite = ({ method }: Request) => method !== 'GET';

/** Conditions for a request. `position`: 0 for the write to disturb, 1 for the next one. */
const isNow = (request: Request, position: number) => isWrite(request) && position === 0;
const isOneOfFive = (request: Request, position: number) => isWrite(request) && position >= 0 && position < 5;
const isLater = (_: Request, position: number) => position >= 0;

const drop = (response: ServerResponse) => response.destroy();
const refuse = (response: ServerResponse) =>
  sendJson(response, 503, { message: 'Unavailable.' }, { 'retry-after': '0' });
const interrupt = (_: unknown, controller: AbortController) =>
  controller.abort(new Failure('interrupted', 'Interrupted.'));

const faults = [
  { name: 'request lost', hook: 'before', isHit: isNow, disturb: drop },
  { name: 'response lost', hook: 'after', isHit: isNow, disturb: drop },
  { name: 'connection cut before', hook: 'before', isHit: isLater, disturb: drop },
  { name: 'connection cut after', hook: 'connection', isHit: isNow, disturb: drop },
  { name: 'five times 503', hook: 'before', isHit: isOneOfFive, disturb: refuse },
  { name: 'Ctrl-C', hook: 'after', isHit: isNow, disturb: interrupt },
] as const;

/** Runs a command that is disturbed at a write, runs it again if it failed, and reverts it. */
async function runDisturbed(command: Command, fault?: (typeof faults)[number], index = 0) {
  const machine = await openMachine();
  const { kith, control, sendOk, takeWrites } = machine;
  const readAll = async () => Object.values(await readState(sendOk)).flat();
  const line = await command.prepare(machine);
  const before = await readAll();
  takeWrites();
  const controller = new AbortController();
  let position = -index - 1;
  const isHit = (request: Request) => {
    if (isWrite(request)) position += 1;
    return fault?.isHit(request, position) ?? false;
  };
  if (fault?.hook === 'connection') loseConnection(control, isHit);
  else if (fault)
    control[fault.hook] = (request, response) => {
      if (isHit(request)) fault.disturb(response, controller);
      return response.destroyed || response.writableEnded;
    };
  const input = command.toInput?.(machine);
  const first = await kith(line, input, controller.signal);
  restoreConnection(control);
  const last = first.code === 0 ? first : await kith(line, input);
  const writes = takeWrites();
  const after = await readAll();
  const codes = [last.code, (await kith(command.revert ?? 'undo --yes')).code];
  return { before, after, undone: await readAll(), writes, codes, isReached: position >= 0 };
}

const count = (values: readonly string[], value: string) => values.filter((one) => one === value).length;

/** Returns the values that occur more often in a list than in another. */
const subtract = (values: readonly string[], others: readonly string[]) =>
  values.filter((value) => count(values, value) > count(others, value));

test.each(Object.entries(commands))(
  'nothing is lost or duplicated if %s is disturbed and run again, and one undo reverts it',
  async (_, command) => {
    const calm = await runDisturbed(command);
    expect(calm.codes).toEqual([0, 0]);
    expect(calm.after).not.toEqual(calm.before);
    expect(calm.undone.toSorted()).toEqual(calm.before.toSorted());
    const cases = calm.writes.flatMap((at, index) => faults.map((fault) => ({ at, index, fault })));
    for (const { at, index, fault } of shuffle(cases, 6)) {
      const { after, undone, codes, isReached } = await runDisturbed(command, fault, index);
      const lost = [...subtract(calm.after, after), ...subtract(calm.undone, undone)];
      const duplicated = [...subtract(after, calm.after), ...subtract(undone, calm.undone)];
      const expected = { lost: [], duplicated: [], isReached: true, codes: [0, 0] };
      expect({ lost, duplicated, isReached, codes }, `${fault.name}: ${at}`).toEqual(expected);
    }
  },
  300_000,
);

test('a killed batch sends only the missing writes the next time, and one undo reverts all', async () => {
  const creates = 100;
  const { sendOk, control, takeWrites, ...service } = await startControlledService();
  const env = createEnv(createTemporaryFolder(), { ...service.env, KITH_UNDO: 'auto' });
  const stdin = toLines(Array(creates).fill({ command: 'contacts create', first_name: 'Eve' }));
  const args = ['batch', '-', '--parallel', '4'];
  let left = 40;
  const onStart = (child: ChildProcess) => {
    child.stdin?.end(stdin);
    control.after = (request) => isWrite(request) && --left === 0 && child.kill('SIGKILL');
  };
  expect((await runKith(args, { env, onStart })).code).toBe(-2);
  const err = expect.stringContaining('Continuing the interrupted `kith batch`: ');
  expect(await runKith(args, { env, stdin })).toMatchObject({ code: 0, err });
  expect(takeWrites()).toHaveLength(creates);
  expect((await readState(sendOk)).contacts).toHaveLength(creates);
  expect(await runKith(['undo', '--yes'], { env })).toMatchObject({ code: 0 });
  expect((await readState(sendOk)).contacts).toEqual([]);
});
