import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { recipes } from '../../../src/commands/agents/skill.ts';
import { exitCodes } from '../../../src/contract/errors.ts';
import {
  createDemoMachine,
  createMachine,
  createTemporaryFolder,
  type MachineOptions,
} from '../../support/kith.ts';

/** A machine with the folders of two agents. */
function createAgentMachine() {
  const home = createTemporaryFolder();
  mkdirSync(join(home, '.claude'));
  mkdirSync(join(home, '.codex'));
  const run = createMachine(home);
  const kith = (line: string, options: MachineOptions = {}) => run(line, { ...options, env: { HOME: home } });
  const findSkill = (agent: string) => join(home, agent, 'skills/kith/SKILL.md');
  return { kith, findSkill };
}

test('writes the skill for the agents whose folders exist, and removes it again', async () => {
  const { kith, findSkill } = createAgentMachine();
  const [claude, codex] = [findSkill('.claude'), findSkill('.codex')];
  expect((await kith('agents list --fields agent,status --no-header')).out).toContain(
    'claude\tnot installed\ncodex\tnot installed\ncopilot\tno agent\n',
  );
  expect(await kith('agents install --yes')).toEqual({
    code: 0,
    out: `agent\tstatus\tpath\nclaude\tcreated\t${claude}\ncodex\tcreated\t${codex}\n`,
    err: '',
  });
  expect(readFileSync(claude, 'utf8')).toBe((await kith('agents show')).out);
  expect((await kith('agents install claude')).out).toContain('claude\tunchanged\t');
  writeFileSync(codex, readFileSync(codex, 'utf8').replace('# kith', '# old'));
  expect((await kith('agents install --yes --fields status --no-header')).out).toBe('unchanged\nupdated\n');
  expect((await kith('agents remove --yes --fields agent,status --no-header')).out).toBe(
    'claude\tremoved\ncodex\tremoved\n',
  );
  expect([claude, codex].map((path) => existsSync(join(path, '..')))).toEqual([false, false]);
  expect(await kith('agents remove --yes')).toMatchObject({
    code: 0,
    err: 'kith: No skill file is installed.\n',
  });
});

test('shows the file and asks in a terminal; a script needs --yes', async () => {
  const { kith, findSkill } = createAgentMachine();
  const declined = await kith('agents install', { terminal: 100, answers: [false] });
  expect(declined).toMatchObject({ code: 1, err: expect.stringContaining('# kith\n') });
  expect(existsSync(findSkill('.claude'))).toBe(false);
  expect(await kith('agents install')).toMatchObject({
    code: 2,
    err: 'kith: This command asks before it changes files. Pass --yes to skip the prompt.\n',
  });
  expect(await kith('agents install codex', { terminal: 100, answers: [true] })).toMatchObject({ code: 0 });
  expect([existsSync(findSkill('.claude')), existsSync(findSkill('.codex'))]).toEqual([false, true]);
});

test('never replaces or removes a file that kith did not write', async () => {
  const { kith, findSkill } = createAgentMachine();
  const path = findSkill('.claude');
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'mine\n');
  const refused = {
    code: 1,
    out: '',
    err: `kith: kith did not write ${path}.\nhint: Rename or delete ${path}.\n`,
  };
  expect(await kith('agents install --yes')).toEqual(refused);
  expect(await kith('agents remove --yes')).toEqual(refused);
  expect((await kith('agents list --fields agent,status')).out).toContain('claude\tforeign\n');
  expect([readFileSync(path, 'utf8'), existsSync(findSkill('.codex'))]).toEqual(['mine\n', false]);
});

test('lists the agents if no agent is found or an agent is unknown', async () => {
  const home = createTemporaryFolder();
  const kith = (line: string) => createMachine(home)(line, { env: { HOME: home } });
  expect(await kith('agents install --yes')).toEqual({
    code: 3,
    out: '',
    err:
      'kith: No agent was found: no agent folder exists.\n' +
      'hint: Name the agent: kith agents install claude\n',
  });
  expect(await kith('agents install clippy --yes')).toMatchObject({
    code: 2,
    err: 'kith: AGENT: "clippy" is not one of claude, codex, copilot, cursor, gemini, opencode, shared.\n',
  });
});

test('the skill follows the specification of skills, and has all exit codes and guards', async () => {
  const { out } = await createMachine()('agents show');
  const [, front = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(out) ?? [];
  const { name, description, metadata } = parse(front);
  expect([name, metadata]).toEqual(['kith', { generator: expect.stringMatching(/^kith \d/) }]);
  expect(description.length).toBeLessThan(1024);
  expect(out.length).toBeLessThan(6000);
  for (const code of Object.keys(exitCodes)) expect(body).toContain(`\n- ${code}: `);
  for (const flag of ['--readonly', '--allow', '--max-writes', '--max-requests'])
    expect(body).toContain(`- \`${flag}`);
});

test.each(recipes)('a script runs the recipe on a new sample workspace: %s', async (_, command) => {
  const kith = createDemoMachine();
  const [, undo, line = ''] = /^(?:KITH_UNDO=(\w+) )?kith (.*)$/.exec(command) ?? [];
  const env = { ...(undo !== undefined && { KITH_UNDO: undo }) };
  for (const typed of new Set([line, line.replace('--dry-run', '--yes')]))
    expect([typed, await kith(typed, { env })]).toMatchObject([
      typed,
      { code: 0, out: expect.stringMatching(/./) },
    ]);
});
