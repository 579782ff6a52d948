import type { Session } from '../../cli/command/context.ts';
import { Failure } from '../../contract/errors.ts';
import { editText, requireEditor } from '../edit/edit-text.ts';
import { askText } from './create-prompts.ts';
import type { Question } from './create-questions.ts';

const alternative = '--body TEXT';

/** Opens the text of a new note in the editor and passes it to `use`. @throws {Failure} as `editText` */
export function editNote<T>(session: Session, text: string, use: (text: string) => Promise<T>): Promise<T> {
  const describeUse = (file: string) => `Use it with --body @${file}`;
  const note = { name: 'note.md', text, alternative, describeUse };
  return editText(session, note, async (edited) => ({ result: await use(edited.trim()) }));
}

/** Creates the question for the text of a note: one line, or any text in the editor. */
export function createNoteQuestion(): Question {
  const label = 'Text of the note';
  return {
    key: 'body',
    label,
    field: 'body',
    // --body reads the value of `@FILE` from a file, and of `-` from stdin.
    toWords: ([text]) => {
      if (text === undefined) return [];
      return /^(@|-$)/.test(text) ? ['--data', JSON.stringify({ body: text })] : ['--body', text];
    },
    async ask(session, [previous = '']) {
      const canEdit = await hasEditor(session);
      const text = await askText(
        session,
        label,
        previous.includes('\n') ? undefined : previous || undefined,
        {
          explanation: canEdit ? 'Press Enter to open the editor' : undefined,
          requirement: canEdit ? undefined : 'A note requires text.',
        },
      );
      return [text === '' ? await editNote(session, previous, async (edited) => edited) : text];
    },
  };
}

async function hasEditor(session: Session): Promise<boolean> {
  try {
    await requireEditor(session, alternative);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
