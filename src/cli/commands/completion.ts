import { sanitize } from '../../render/sanitize.ts';
import { command, said } from '../command.ts';
import { knownLists } from '../connect/known-lists.ts';
import type { Session } from '../context.ts';

/** The shells, each with the file of its script. */
export const shells = { bash: 'kith.bash', zsh: '_kith', fish: 'kith.fish', powershell: 'kith.ps1' } as const;

export const completion = command({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'Print the completion script of a shell. It offers commands, flags and their values, the profiles, and the ' +
    'names of lists as they were last seen; it never goes to the network.',
  answers: 'text',
  local: true,
  args: { shell: { summary: 'The shell:', choices: Object.keys(shells) } },
  examples: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  async run(session, { shell }) {
    const file = Object.entries(shells).find(([name]) => name === shell)?.[1] ?? '';
    return said(await session.completion(file), { shell, file });
  },
});

/** What the completion scripts ask for: values that change, one a line, from files of this machine alone. */
export const complete = command({
  name: 'complete',
  summary: 'Print values for a completion script',
  answers: 'text',
  // Not `local`, though nothing is sent: a --base-url that is typed tells whose lists are meant.
  args: { kind: { summary: 'What is completed:', choices: ['lists', 'profiles'] } },
  examples: ['complete lists', 'complete profiles'],
  async run(session, { kind }) {
    const values = kind === 'lists' ? await readListNames(session) : await readProfileNames(session);
    return said(values.map((value) => `${value}\n`).join(''), values);
  },
});

/** Names first: they are what people know a list by. One that two lists have stands for neither. */
async function readListNames(session: Session): Promise<string[]> {
  const lists = await knownLists(session).catch(() => []);
  const names = lists.map(({ name }) => name);
  const own = names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));
  return [...own, ...lists.map(({ id }) => id)].filter(isPlain);
}

async function readProfileNames({ settings }: Session): Promise<string[]> {
  const { profiles } = (await settings()).read();
  return Object.keys(profiles).filter(isPlain);
}

/** A shell shows it as it is; one that starts with a dash would be taken for a flag. */
const isPlain = (text: string) => sanitize(text) === text && !/^-|^$/.test(text);
