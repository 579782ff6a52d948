import { isUtf8 } from 'node:buffer';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive } from '../../cli/command/interaction.ts';
import { Failure, toFailure } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';

/** A text to edit. */
export interface EditableText {
  /** The name of its file; most editors choose the syntax by the extension. */
  readonly name: string;
  /** The initial text. */
  readonly text: string;
  /** The flag to pass if there is no editor: `--body TEXT`. */
  readonly alternative: string;
  /** Returns the text to keep after a failure; if omitted, the text as the editor saved it. */
  readonly clean?: (text: string) => string;
  /** Describes how to use the text from a file: `Use it with --body @FILE`. */
  readonly describeUse: (file: string) => string;
}

/** A text to correct in the editor. The failure ends the command if the person saves the text unchanged. */
export interface Correction {
  readonly text: string;
  readonly failure: Failure;
}

/** The result of an edited text, or its correction. */
export type EditOutcome<T> = { readonly result: T } | Correction;

/** Editors to use if neither VISUAL nor EDITOR is set. nano shows its keys. */
const knownEditors = ['nano', 'vi'];

/**
 * Opens a text in the editor of VISUAL or EDITOR, else in nano or vi, and passes the saved text to `use`. Opens it again
 * while it needs corrections. If `use` fails, the hint names the file with the text.
 * @throws {Failure} usage without a terminal or editor, cancelled if the text is empty
 */
export async function editText<T>(
  session: Session,
  editable: EditableText,
  use: (text: string) => Promise<EditOutcome<T>>,
): Promise<T> {
  const { signal } = session;
  const editor = await requireEditor(session, editable.alternative);
  const folder = await mkdtemp(join(tmpdir(), 'kith-'));
  const file = join(folder, editable.name);
  const discard = () => rm(folder, { recursive: true, force: true });
  let openedText = editable.text;
  let failure: Failure | undefined;
  for (;;) {
    await writeFile(file, openedText, { mode: 0o600 });
    const code = await (await session.terminal.programs()).edit(editor, file);
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    const text = bytes.toString();
    const isEmpty = text.trim() === '';
    if (isEmpty || (code !== 0 && text === editable.text)) {
      await discard();
      if (code === 0) throw new Failure('cancelled', 'The text is empty; nothing was sent.');
      const isMissing = code === 126 || code === 127;
      const detail = isMissing ? { hint: 'Set VISUAL or EDITOR to another program.' } : {};
      throw new Failure('failed', `${describeExit(editor, code)}.`, detail);
    }
    try {
      signal.throwIfAborted();
      if (code !== 0) throw new Failure('cancelled', `${describeExit(editor, code)}; nothing was sent.`);
      if (!isUtf8(bytes)) throw new Failure('usage', 'The text is not UTF-8; nothing was sent.');
      if (failure && text === openedText) throw failure;
      const outcome = await use(text);
      if ('result' in outcome) {
        await discard();
        return outcome.result;
      }
      openedText = outcome.text;
      failure = outcome.failure;
    } catch (error) {
      if (editable.clean && isUtf8(bytes)) await writeFile(file, editable.clean(text));
      await chmod(file, 0o600).catch(() => {}); // an editor may have replaced the file
      // A request that a signal has ended fails with an error of its own.
      const cause = signal.aborted ? signal.reason : error;
      const { code, message, detail } = cause instanceof Failure ? cause : toFailure(cause);
      const advice = code === 'unknown' && detail.hint ? `${detail.hint} ` : '';
      const hint = `${advice}Your text is saved in ${file}. ${editable.describeUse(file)}`;
      throw new Failure(code, message, { ...detail, hint });
    }
  }
}

/** Returns the command of the editor. @throws {Failure} usage that names the alternative, if no editor can be used */
export async function requireEditor(session: Session, alternative: string): Promise<string> {
  const hasTerminal = isInteractive(session);
  if (hasTerminal) {
    const { VISUAL, EDITOR } = session.runtime.env;
    const editor = VISUAL?.trim() || EDITOR?.trim();
    if (editor) return editor;
    const { hasProgram } = await session.terminal.programs();
    for (const name of knownEditors) if (hasProgram(name)) return name;
  }
  const reason = hasTerminal ? 'no editor found; set VISUAL or EDITOR' : 'an editor requires a terminal';
  throw new Failure('usage', `Missing required option: ${alternative} (${reason})`);
}

const describeExit = (editor: string, code: number) => `The editor "${editor}" exited with code ${code}`;

/** The beginning of the lines at the top of a text that list its problems. */
const mark = '#!';

/** A problem, and its line in the text without the marked lines. */
interface Problem {
  readonly line?: number;
  readonly message: string;
}

/** Removes the marked lines at the top of a text. */
export function removeProblems(text: string): string {
  return text.replace(new RegExp(`^\\ufeff?(?:${mark}.*(?:\\r\\n?|\\n|$))+`), '');
}

/** An edited text, and whether it can be corrected in an editor. */
export interface EditedText {
  readonly text: string;
  readonly hasEditor: boolean;
}

/** Returns an edited text with its problems in marked lines above it, and the failure if it is not corrected. */
export function createCorrection(
  { text, hasEditor }: EditedText,
  intro: string,
  problems: readonly Problem[],
  failure?: Failure,
): Correction {
  const own = removeProblems(text);
  const format = (offset: number) =>
    problems.map(({ line, message }) =>
      sanitizeLine(line === undefined ? message : `Line ${line + offset}: ${message}`),
    );
  const lines = [intro, ...format(problems.length + 1)];
  const offset = hasEditor ? lines.length : text.slice(0, text.length - own.length).split('\n').length - 1;
  return {
    text: `${lines.map((line) => `${mark} ${line}\n`).join('')}${own}`,
    failure: failure ?? new Failure('usage', format(offset).join(' ')),
  };
}
