import { join } from 'node:path';
import { type Environment, resolveHomeFolder } from './paths.ts';

interface AgentFacts {
  readonly title: string;
  /** The folder that the agent reads, in the home folder. */
  readonly folder: string;
  /** The variable that sets the folder. */
  readonly variable?: string;
  /** The variables that the agent sets in the shell in which it runs commands. */
  readonly shell: readonly string[];
}

/**
 * The agents. The list omits variables that a person's terminal may also have, such as `CURSOR_TRACE_ID` in an editor or
 * `REPL_ID`.
 */
const agents = {
  claude: {
    title: 'Claude Code',
    folder: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    shell: ['CLAUDECODE', 'CLAUDE_CODE'],
  },
  codex: {
    title: 'Codex',
    folder: '.codex',
    variable: 'CODEX_HOME',
    shell: ['CODEX_THREAD_ID', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_CI'],
  },
  copilot: { title: 'GitHub Copilot', folder: '.copilot', shell: ['COPILOT_CLI'] },
  cursor: { title: 'Cursor', folder: '.cursor', shell: ['CURSOR_AGENT'] },
  gemini: { title: 'Gemini CLI', folder: '.gemini', shell: ['GEMINI_CLI'] },
  opencode: { title: 'OpenCode', folder: '.config/opencode', shell: ['OPENCODE', 'OPENCODE_CLIENT'] },
  shared: {
    title: 'agents that read ~/.agents',
    folder: '.agents',
    shell: ['AI_AGENT', 'ANTIGRAVITY_AGENT', 'AUGMENT_AGENT', 'CLINE_ACTIVE', 'GOOSE_TERMINAL'],
  },
} as const satisfies Record<string, AgentFacts>;

export type AgentName = keyof typeof agents;

export const agentNames = Object.keys(agents) as readonly AgentName[]; // keys() has no types

/** An agent on this machine. */
export interface Agent {
  readonly name: AgentName;
  readonly title: string;
  /** The folder of its settings, which exists if the agent is used. */
  readonly folder: string;
  /** The path of kith's skill file (https://agentskills.io/specification). */
  readonly skill: string;
}

/** Returns all agents with their folders. */
export function listAgents(env: Environment): Agent[] {
  return agentNames.map((name) => {
    const { title, folder, variable }: AgentFacts = agents[name];
    const path = (variable && env[variable]) || join(resolveHomeFolder(env), folder);
    return { name, title, folder: path, skill: join(path, 'skills', 'kith', 'SKILL.md') };
  });
}

/** Whether an agent runs the command in a shell. */
export const isRunByAgent = (env: Environment): boolean =>
  agentNames.some((name) => agents[name].shell.some((variable) => Boolean(env[variable])));
