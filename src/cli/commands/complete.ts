import { command, said } from '../command.ts';
import { knownLists } from '../known-lists.ts';

/** What the completion scripts ask for: values that change, one a line, from files of this machine alone. */
export const complete = command({
  name: 'complete',
  summary: 'Print values for a completion script',
  answers: 'text',
  // Not `local`, though nothing is sent: a --base-url that is typed tells whose lists are meant.
  args: { kind: { summary: 'What is completed:', choices: ['lists', 'profiles'] } },
  examples: ['complete lists', 'complete profiles'],
  async run(session, { kind }) {
    const values = kind === 'lists' ? await listValues(session) : await profileValues(session);
    return said(values.map((value) => `${value}\n`).join(''), values);
  },
});

type Place = Parameters<typeof knownLists>[0] & { readonly globals: Parameters<typeof knownLists>[1] };

/**
 * Names first: they are what people know a list by. One that two lists have stands for neither, and one that
 * starts with a dash would be taken for a flag.
 */
async function listValues(session: Place): Promise<string[]> {
  const lists = await knownLists(session, session.globals).catch(() => []);
  const names = lists.map(({ name }) => name);
  const plain = names.filter(
    (name) => names.indexOf(name) === names.lastIndexOf(name) && !/\p{Cc}|^-|^$/u.test(name),
  );
  return [...plain, ...lists.map(({ id }) => id)];
}

async function profileValues({ settings }: Place): Promise<string[]> {
  const { profiles } = (await settings()).read();
  return Object.keys(profiles);
}
