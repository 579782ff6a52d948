import { join } from 'node:path';
import { type Environment, resolveHomeFolder } from '../../settings/paths.ts';

/** The folders that agents read: the folder of the agent in the home folder, or the variable that sets it. */
const folders = {
  claude: { title: 'Claude Code', folder: '.claude', variable: 'CLAUDE_CONFIG_DIR' },
  codex: { title: 'Codex', folder: '.codex', variable: 'CODEX_HOME' },
  copilot: { title: 'GitHub Copilot', folder: '.copilot', variable: undefined },
  cursor: { title: 'Cursor', folder: '.cursor', variable: undefined },
  gemini: { title: 'Gemini CLI', folder: '.gemini', variable: undefined },
  opencode: { title: 'OpenCode', folder: '.config/opencode', variable: undefined },
  shared: { title: 'agents that read ~/.agents', folder: '.agents', variable: undefined },
} as const;

export type AgentName = keyof typeof folders;

export const agentNames = Object.keys(folders) as readonly AgentName[]; // keys() has no types

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
    const { title, folder, variable } = folders[name];
    const path = (variable && env[variable]) || join(resolveHomeFolder(env), folder);
    return { name, title, folder: path, skill: join(path, 'skills', 'kith', 'SKILL.md') };
  });
}
