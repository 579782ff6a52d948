import {
  type CommandTree,
  defineCommand,
  findEntry,
  toMessageResult,
  toRecordsResult,
} from '../cli/command/command.ts';
import { openSettingsForChange } from '../cli/connect/connection.ts';
import { findPasswords } from '../cli/connect/secrets.ts';
import { toCommandWords } from '../cli/words.ts';
import { Failure } from '../contract/errors.ts';
import { views } from '../render/views.ts';
import { splitShellWords } from '../values/shell-words.ts';

export const alias = [
  defineCommand({
    name: 'set',
    exitCodes: [75],
    summary: 'Define a short name for a command with its flags',
    description:
      'Define a short name for a command with its flags. $1, $2 and so on in COMMAND stand for the arguments of the ' +
      'alias; other arguments are appended. Put COMMAND in single quotes, so that the shell does not expand it. An ' +
      'alias runs only kith commands, never another program or alias, and cannot replace a command.',
    output: { text: ['alias'] },
    effects: 'local',
    args: { name: { summary: 'Name of the alias' }, command: { summary: 'Command, without kith' } },
    examples: [
      `alias set open 'entries list "Sales pipeline" --status Proposal'`,
      `alias set person 'contacts find --email $1@tidewater.example'`,
    ],
    async run(session, { name, command }) {
      checkName(session.services.tree, name);
      const line = command.trim().replace(/^kith\s+/, '');
      await checkCommand(session.services.tree, line);
      const store = await openSettingsForChange(session);
      const { aliases = {} } = store.read();
      const before = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
      await store.change((stored) => {
        stored.aliases = { ...stored.aliases, [name]: line };
      });
      if (before !== undefined && before !== line)
        await session.messages.note(`It previously ran: ${before}`);
      return toMessageResult(session, `Alias ${name} set to: ${line}\n`, { name, command: line });
    },
  }),
  defineCommand({
    name: 'list',
    output: { records: ['alias[]'] },
    summary: 'List aliases',
    effects: 'local',
    examples: ['alias list'],
    async run(session) {
      const { aliases = {} } = (await session.services.settings()).read();
      const records = Object.entries(aliases).map(([name, command]) => ({ name, command }));
      const empty = 'There are no aliases. To add one, see: kith alias set --help';
      return toRecordsResult(records, views.aliases, empty);
    },
  }),
  defineCommand({
    name: 'delete',
    exitCodes: [3, 75],
    summary: 'Delete an alias',
    output: { text: ['deletion'] },
    effects: 'discards',
    args: { name: { summary: 'Name of the alias', completion: 'aliases' } },
    examples: ['alias delete open'],
    async run(session, { name }) {
      const store = await openSettingsForChange(session);
      const { aliases = {} } = store.read();
      if (!Object.hasOwn(aliases, name)) {
        const names = Object.keys(aliases).join(', ');
        const hint = names === '' ? 'There are no aliases.' : `Aliases: ${names}`;
        throw new Failure('not_found', `Alias "${name}" not found.`, { hint });
      }
      const { [name]: line, ...others } = aliases;
      await store.change((stored) => {
        stored.aliases = others;
      });
      return toMessageResult(session, `Deleted alias ${name}: ${line}\n`, { id: name, deleted: true });
    },
  }),
];

/** The commands outside the command tree. Completion scripts call `complete`. */
const otherCommands = ['help', 'complete'];

/** @throws {Failure} usage if a name is invalid, or is the name of a command */
function checkName(tree: CommandTree, name: string): void {
  const entry = findEntry(tree, name);
  if ((entry && !entry.isShorthand) || otherCommands.includes(name)) {
    throw new Failure('usage', `"${name}" is a kith command, which an alias cannot replace.`);
  }
  if (/^[A-Za-z0-9][\w-]{0,49}$/.test(name)) return;
  throw new Failure('usage', `"${name}" is not a valid name for an alias.`, {
    hint: 'Use up to 50 letters, digits, "-" and "_", starting with a letter or digit.',
  });
}

/** @throws {Failure} usage if a line does not begin with a command, or has a password */
async function checkCommand(tree: CommandTree, line: string): Promise<void> {
  if (/^!/.test(line)) {
    throw new Failure('usage', 'An alias cannot run a shell or another program.', {
      hint: 'Write a shell function or a script instead.',
    });
  }
  const words = splitShellWords(line);
  if (!words || /\p{Cc}/u.test(line))
    throw new Failure('usage', 'The command has an unclosed quote or a control character.');
  if (findPasswords(words).length > 0) {
    throw new Failure('usage', 'The command contains a password, which the alias would store.', {
      hint: 'Put the password in ~/.pgpass.',
    });
  }
  const [first = '', second = ''] = await toCommandWords(tree, words);
  const entry = findEntry(tree, first);
  const commands = (await entry?.commands()) ?? [];
  const isKnown = commands.some(({ name }) => name === entry?.name || name.split(' ', 1)[0] === second);
  if (isKnown) return;
  const typed = entry ? `${first} ${second}`.trim() : first;
  throw new Failure(
    'usage',
    `"${typed}" is not a kith command. An alias must begin with a noun and a verb.`,
    {
      hint: entry ? `See \`kith ${first} --help\`.` : 'See `kith help all`.',
    },
  );
}
