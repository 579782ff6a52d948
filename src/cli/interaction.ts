import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { sanitizeLine } from '../render/sanitize.ts';
import type { Prompts, Session } from './context.ts';

type Ends = Pick<Session, 'stdin' | 'stdout' | 'stderr' | 'env'>;

/** Whether a person can be asked: all ends are terminals, and nothing says otherwise. Questions go to stderr. */
export function isInteractive({ stdin, stdout, stderr, env }: Ends): boolean {
  const ends = [stdin, stdout, stderr];
  return ends.every(({ isTerminal }) => isTerminal) && !env.CI && env.TERM !== 'dumb';
}

/** The answer to a question; leaving it with Ctrl-C or Escape ends the run as Ctrl-C does anywhere. */
export async function prompt<T>(
  ask: (prompts: Prompts) => Promise<T | undefined>,
  session: Session,
): Promise<T> {
  const answer = await ask(session.prompts);
  if (answer === undefined) throw new Failure('interrupted', 'Interrupted.');
  return answer;
}

/**
 * Asks before something is deleted, unless --yes says so already. Throws `usage` where nobody can be asked,
 * `cancelled` when the answer is no.
 */
export async function confirmDeletion(session: Session, question: () => Promise<string>): Promise<void> {
  if (session.globals.yes) return;
  if (!isInteractive(session)) {
    throw new Failure('usage', 'Deleting needs --yes where nobody can be asked.');
  }
  // A record may be called anything, and the question goes to a terminal.
  const text = sanitizeLine(await question());
  if (!(await prompt(({ confirm }) => confirm(text), session))) throw new Failure('cancelled', 'Cancelled.');
}

/**
 * Lets the person type a text in the editor of VISUAL or EDITOR and uses it. Where the use fails, the text is
 * kept and named. Throws `usage` where there is no terminal or no editor, `cancelled` for an empty text.
 */
export async function editText<T>(session: Session, use: (text: string) => Promise<T>): Promise<T> {
  const { env, programs, signal } = session;
  const editor = env.VISUAL?.trim() || env.EDITOR?.trim();
  if (!isInteractive(session)) throw new Failure('usage', 'Give --body: there is no terminal for an editor.');
  if (!editor) throw new Failure('usage', 'Give --body, or name your editor in VISUAL or EDITOR.');
  const folder = await mkdtemp(join(tmpdir(), 'kith-'));
  const file = join(folder, 'note.md');
  await writeFile(file, '', { mode: 0o600 });
  const code = await programs.edit(editor, file);
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  const discard = () => rm(folder, { recursive: true, force: true });
  if (text === '') {
    await discard();
    throw code === 0
      ? new Failure('cancelled', 'The text is empty; nothing was written.')
      : new Failure('failed', `The editor "${editor}" ended with ${code}.`);
  }
  if (signal.reason instanceof Failure) throw kept(signal.reason, file);
  if (code !== 0)
    throw kept(
      new Failure('cancelled', `The editor "${editor}" ended with ${code}; nothing was written.`),
      file,
    );
  const result = await use(text).catch((error: unknown) => {
    throw error instanceof Failure ? kept(error, file) : error;
  });
  await discard();
  return result;
}

/** A failure that says where the text is. */
function kept({ code, message, detail }: Failure, file: string): Failure {
  return new Failure(code, message, {
    ...detail,
    hint: `Your text is in ${file}; use it with --body @${file}`,
  });
}
