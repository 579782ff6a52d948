import { expect } from 'vitest';
import { findEntry } from '../../src/cli/command/command.ts';
import type { Context } from '../../src/cli/command/context.ts';
import { topics } from '../../src/cli/help/help.ts';
import { parseWords } from '../../src/cli/parse.ts';
import { createRun } from '../../src/cli/run-resources.ts';
import { expandHelpWords, expandWords } from '../../src/cli/words.ts';
import { splitShellWords } from '../../src/values/shell-words.ts';

/** A command in a hint: in backticks, all of the hint, or after a colon up to the end of the sentence. */
const commandInHint =
  /`kith ([^`]+)`|(?:^|: )kith ([a-z].*?)(?=\. [A-Z]|[,;]? (?:or|then) |: kith |(?<!\.)$)/g;

/** A placeholder in capital letters instead of a choice or a number. */
const placeholderProblem = /: "[A-Z|_]+" is not /;

/** Parses each command in the hints that a run printed. */
export async function checkHints(printed: string, context: Context): Promise<void> {
  for (const hint of findHints(printed))
    for (const [, quoted, last = ''] of hint.matchAll(commandInHint)) {
      const failure = await parse(quoted ?? last, context);
      expect(failure, `The command in the hint "${hint}" does not parse: ${failure}`).toBeUndefined();
    }
}

/** Returns the hints of a text or JSON output. A terminal wraps them, except for commands. */
function findHints(printed: string): readonly string[] {
  if (!printed.includes('kith ')) return [];
  const json = /^\{\n {2}"error": [\s\S]*?^\}$/m.exec(printed)?.[0];
  if (json === undefined)
    return Array.from(printed.matchAll(/^hint: (.*(?:\n {6}\S.*)*)/gm), ([, text = '']) =>
      text.split(/\n {6}(?=kith )/),
    )
      .flat()
      .map((text) => text.replace(/\n */g, ' '));
  const { error } = JSON.parse(json);
  const commands = [error, ...(error.candidates ?? [])].map(({ command }) => command);
  return [error.hint, ...commands].filter((text) => text !== undefined);
}

async function parse(line: string, context: Context): Promise<string | undefined> {
  const words = splitShellWords(line)
    ?.map((word) => (word === '[flags]' ? '--help' : word))
    .map((word) => word.replaceAll(/[[\]]/g, ''));
  if (!words) return 'unclosed quote';
  const [first, topic = ''] = words;
  const { tree } = context.services;
  if (first === 'help' && (Object.hasOwn(topics, topic) || findEntry(tree, topic))) return undefined;
  const run = createRun(context);
  try {
    await parseWords(await expandHelpWords(tree, await expandWords(words, context)), run);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return placeholderProblem.test(message) ? undefined : message;
  } finally {
    await run.close();
  }
}
