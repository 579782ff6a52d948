import type { AnyCommand, CommandInput } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createTextOption } from '../../cli/command/options.ts';
import { addArticle } from '../../values/text.ts';
import type { EditTarget } from '../edit/edit-nouns.ts';

interface EditDefinition extends Pick<AnyCommand, 'args' | 'examples'> {
  /** The noun of one record: `contact`. */
  readonly noun: string;
  /** The noun on the command line. */
  readonly command: string;
}

const file = createTextOption('Apply a YAML file, or - for stdin, instead of opening an editor', 'FILE|-', {
  completion: 'files',
});

/** Defines the command that edits a record as YAML. */
export function defineEditCommand(
  { noun, command, ...definition }: EditDefinition,
  readTarget: (session: Session, input: CommandInput) => Promise<EditTarget>,
): AnyCommand {
  return {
    name: 'edit',
    summary: `Edit ${addArticle(noun)} as YAML in an editor`,
    description:
      `Open the fields that \`${command} update\` can change as YAML in an editor (VISUAL or EDITOR), show the ` +
      'saved changes, and send them once you confirm. An empty value clears the field; deleting a line changes ' +
      'nothing. If anything fails, your text is kept. --file applies a YAML file without an editor. ' +
      'See kith help records.',
    effects: 'updates',
    isFileBased: true,
    describeInteraction: ({ file }) => (file === undefined ? 'opens an editor; pass --file' : undefined),
    options: { file },
    ...definition,
    async run(session, input) {
      const { editRecord } = await import('../edit/edit-record.ts');
      const path = typeof input.file === 'string' ? input.file : undefined;
      return editRecord(session, path, () => readTarget(session, input));
    },
  };
}
