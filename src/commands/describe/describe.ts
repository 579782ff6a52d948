import * as v from 'valibot';
import { type CommandResult, defineCommand, toBatch, toRecordsResult } from '../../cli/command/command.ts';
import { resultSchemas } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { parseRawJson, toRawJson } from '../../values/raw-json.ts';

export const commands = defineCommand({
  name: 'commands',
  output: { records: ['commands'] },
  summary: 'List all commands with their arguments and flags',
  description:
    'List all commands, or the commands of a noun. With --json, print one document: flags, exit codes, and for ' +
    'each command its arguments, flags, examples, and whether it writes, deletes or needs a terminal. `kith NOUN ' +
    'VERB --help --json` prints it for one command.',
  effects: 'local',
  args: {
    noun: { summary: 'Noun, or a command without a noun', isOptional: true },
    verb: { summary: 'Verb: its name', isOptional: true },
  },
  examples: [
    'commands',
    'commands contacts update --json',
    'commands --jq ".commands[] | select(.writes).path"',
  ],
  async run({ services: { tree }, runtime: { version } }, selection) {
    const { buildCommandsDocument } = await import('./commands-document.ts');
    const document = await buildCommandsDocument(tree, version, selection);
    if (document.commands.length === 0) {
      const words = [selection.noun, selection.verb].filter((word) => word !== undefined).join(' ');
      throw new Failure('usage', `Unknown command: ${words}`, { hint: 'kith commands' });
    }
    return {
      ...toRecordsResult(document.commands, views.commands),
      document: toRawJson(document),
    };
  },
});

export const schema = defineCommand({
  name: 'schema',
  output: { records: ['schema-title[]', 'schema'] },
  summary: 'Print the JSON Schema of a record or of another result',
  description:
    'Print the JSON Schema (2020-12) of a result as --json prints it. `kith commands --json` names the results of each ' +
    'command. An object may have further fields. Without a name, list the names.',
  effects: 'local',
  args: {
    name: { summary: 'Schema:', placeholder: 'NAME', choices: Object.keys(resultSchemas), isOptional: true },
  },
  examples: ['schema', 'schema contacts', 'schema error > error.schema.json'],
  async run({ services: { readPackageFile } }, { name }): Promise<CommandResult> {
    if (name === undefined)
      return toRecordsResult(
        Object.entries(resultSchemas).map(([name, schema]) => ({ name, title: v.getTitle(schema) })),
        views.schemas,
      );
    const document = parseRawJson(await readPackageFile(`docs/schemas/${name}.json`));
    return { kind: 'records', batches: toBatch([document]), view: () => [], document, defaultFormat: 'json' };
  },
});
