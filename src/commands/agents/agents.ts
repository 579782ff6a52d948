import { rmdirSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type CommandResult,
  defineCommand,
  toRecordsResult,
  toTextResult,
} from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive, requireConsent } from '../../cli/command/interaction.ts';
import { Failure } from '../../contract/errors.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { pathExists, readFileIfExists } from '../../files/read-file.ts';
import { views } from '../../render/views.ts';
import { type Agent, agentNames, listAgents } from '../../settings/agents.ts';
import { buildSkill, skillMark } from './skill.ts';

const agentArgument = {
  agents: {
    summary: `Agents: ${agentNames.join(', ')}`,
    placeholder: 'AGENT',
    isOptional: true,
    isRepeatable: true,
  },
} as const;

export const agents = [
  defineCommand({
    name: 'install',
    output: { records: ['agent[]'] },
    exitCodes: [3],
    summary: 'Write a skill file that teaches agents to use kith',
    description:
      'Write a skill file (SKILL.md) for the named agents, or for all agents whose folders exist. It introduces kith, ' +
      'and has recipes, rules and exit codes. In a terminal, kith shows the file and asks. Run it again after an update.',
    describeInteraction: (_, { yes }) => (yes ? undefined : 'asks before it writes: add --yes'),
    effects: 'discards',
    writingFlags: ['yes'],
    args: agentArgument,
    examples: ['agents install', 'agents install claude codex --yes'],
    async run(session, { agents }) {
      const text = buildSkill(session.runtime.version);
      const plans = selectAgents(session, agents).map((agent) => ({
        agent,
        status: planSkill(agent, text),
      }));
      const changed = plans.filter(({ status }) => status !== 'unchanged');
      if (changed.length > 0) {
        const paths = changed.map(({ agent }) => agent.skill);
        await confirmChange(session, text, `Write this file to ${paths.join(' and ')}?`);
      }
      for (const { agent } of changed) await writeFileAtomically(agent.skill, [text]);
      return toResult(plans);
    },
  }),
  defineCommand({
    name: 'list',
    output: { records: ['agent[]'] },
    summary: 'List agents and their skill files',
    effects: 'local',
    examples: ['agents list'],
    async run(session) {
      const text = buildSkill(session.runtime.version);
      return toResult(
        listAgents(session.runtime.env).map((agent) => ({
          agent,
          status: pathExists(agent.folder) ? describeSkill(agent, text) : 'no agent',
        })),
      );
    },
  }),
  defineCommand({
    name: 'remove',
    output: { records: ['agent[]'] },
    summary: "Remove kith's skill files",
    describeInteraction: (_, { yes }) => (yes ? undefined : 'asks before it deletes: add --yes'),
    effects: 'discards',
    writingFlags: ['yes'],
    args: agentArgument,
    examples: ['agents remove', 'agents remove claude --yes'],
    async run(session, { agents }) {
      checkNames(agents);
      const text = buildSkill(session.runtime.version);
      const named = listAgents(session.runtime.env).filter(
        ({ name }) => agents.length === 0 || agents.includes(name),
      );
      const installed = named.filter((agent) => describeSkill(agent, text) !== 'not installed');
      const foreign = installed.find((agent) => describeSkill(agent, text) === 'foreign');
      if (foreign) throw createForeignFailure(foreign);
      if (installed.length === 0) await session.messages.note('No skill file is installed.');
      else await confirmChange(session, '', `Remove ${installed.map(({ skill }) => skill).join(' and ')}?`);
      for (const { skill } of installed) removeSkill(skill);
      return toResult(installed.map((agent) => ({ agent, status: 'removed' })));
    },
  }),
  defineCommand({
    name: 'show',
    summary: 'Print the skill file',
    output: { text: ['skill'] },
    effects: 'local',
    examples: ['agents show', 'agents show > SKILL.md'],
    async run({ runtime: { version } }) {
      const text = buildSkill(version);
      return toTextResult(text, { name: 'kith', version, text });
    },
  }),
];

type SkillStatus = 'no agent' | 'not installed' | 'foreign' | 'outdated' | 'installed';

interface AgentStatus {
  readonly agent: Agent;
  readonly status: SkillStatus | 'created' | 'updated' | 'unchanged' | 'removed';
}

const toResult = (statuses: readonly AgentStatus[]): CommandResult =>
  toRecordsResult(
    statuses.map(({ agent, status }) => ({ agent: agent.name, status, path: agent.skill })),
    views.agents,
  );

/** @throws {Failure} usage */
function checkNames(names: readonly string[]): void {
  const unknown = names.find((name) => !agentNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new Failure('usage', `AGENT: "${unknown}" is not one of ${agentNames.join(', ')}.`);
}

/** Returns the named agents; if `names` is empty, all agents whose folders exist. @throws {Failure} usage, not_found */
function selectAgents({ runtime: { env } }: Session, names: readonly string[]): Agent[] {
  checkNames(names);
  const agents = listAgents(env);
  if (names.length > 0) return agents.filter(({ name }) => names.includes(name));
  const used = agents.filter(({ folder }) => pathExists(folder));
  if (used.length > 0) return used;
  throw new Failure('not_found', 'No agent was found: no agent folder exists.', {
    hint: 'Name the agent: kith agents install claude',
  });
}

function describeSkill({ skill }: Agent, text: string): SkillStatus {
  const current = accessFile('read', skill, () => readFileIfExists(skill))?.toString();
  if (current === undefined) return 'not installed';
  if (!current.includes(skillMark)) return 'foreign';
  return current === text ? 'installed' : 'outdated';
}

/** Returns the effect of writing the skill file. @throws {Failure} failed if there is a file that kith did not write */
function planSkill(agent: Agent, text: string): 'created' | 'updated' | 'unchanged' {
  const status = describeSkill(agent, text);
  if (status === 'foreign') throw createForeignFailure(agent);
  if (status === 'installed') return 'unchanged';
  return status === 'outdated' ? 'updated' : 'created';
}

const createForeignFailure = ({ skill }: Agent) =>
  new Failure('failed', `kith did not write ${skill}.`, { hint: `Rename or delete ${skill}.` });

/** Shows the text and asks, unless --yes is set. @throws {Failure} usage without a terminal, cancelled */
async function confirmChange(session: Session, text: string, question: string): Promise<void> {
  if (session.globals.yes) return;
  if (!isInteractive(session))
    throw new Failure('usage', 'This command asks before it changes files. Pass --yes to skip the prompt.');
  await session.streams.stderr.write(text);
  await requireConsent(session, question);
}

/** Removes a skill file, and its folder if it is empty. */
function removeSkill(path: string): void {
  accessFile('write', path, () => unlinkSync(path));
  try {
    rmdirSync(dirname(path));
  } catch {
    // The folder has other files.
  }
}
