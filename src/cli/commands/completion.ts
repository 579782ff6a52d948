import { sanitize } from '../../render/text/sanitize.ts';
import { defineCommand, toTextResult } from '../command.ts';
import type { Session } from '../context.ts';
import { readKnownLists } from '../references/list-names.ts';

/** Maps each shell to the file of its completion script. */
export const shells = { bash: 'kith.bash', zsh: '_kith', fish: 'kith.fish', powershell: 'kith.ps1' } as const;

export const completion = defineCommand({
  name: 'completion',
  summary: 'Generate a shell completion script',
  description:
    'Generate the completion script for a shell. It completes commands, flags, flag values, profile ' +
    'names and the names of recently used lists. It never uses the network.',
  output: 'text',
  isLocal: true,
  args: { shell: { summary: 'Shell:', choices: Object.keys(shells) } },
  examples: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  async run(session, { shell }) {
    const file = Object.entries(shells).find(([name]) => name === shell)?.[1] ?? '';
    return toTextResult(await session.readPackageFile(`completions/${file}`), { shell, file });
  },
});

/** Prints the values that completion scripts cannot know, one per line, from local files only. */
export const complete = defineCommand({
  name: 'complete',
  summary: 'Print values for a completion script',
  output: 'text',
  // Sends nothing, but is not `local`: --base-url selects the workspace whose lists are completed.
  args: { kind: { summary: 'Kind of values:', choices: ['lists', 'profiles', 'aliases'] } },
  examples: ['complete lists', 'complete profiles', 'complete aliases'],
  async run({ globals, ...others }, { kind }) {
    // Nobody reads the announcement of a project file.
    const session = { ...others, globals: { ...globals, quiet: true } };
    const values = kind === 'lists' ? await readListNames(session) : await readStoredNames(session, kind);
    return toTextResult(values.map((value) => `${value}\n`).join(''), values);
  },
});

async function readListNames(session: Session): Promise<string[]> {
  const lists = await readKnownLists(session).catch(() => []);
  const names = lists.map(({ name }) => name);
  const unique = names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));
  return [...unique, ...lists.map(({ id }) => id)].filter(isPlain);
}

async function readStoredNames({ settings }: Session, kind: string): Promise<string[]> {
  const { profiles, aliases = {} } = (await settings()).read();
  return Object.keys(kind === 'aliases' ? aliases : profiles).filter(isPlain);
}

/** Whether a shell can show and type a value unchanged; a leading dash would make it a flag. */
const isPlain = (text: string) => sanitize(text) === text && !/^-|^$/.test(text);
