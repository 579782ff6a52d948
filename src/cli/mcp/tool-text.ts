import { listParameters, type Tool } from './tools.ts';

/** Words of text that only a person at a command line can use. */
const commandLineWords =
  /\bkith\b|--[a-z]|\b(terminal|pipe|editor|stdin|prompt|exit code)\b|\bexits with\b|\bconfirm/i;

/** Replaces commands with the tools that are offered, and flags with the parameters of a tool. */
export function nameTools(text: string, tool: Tool, tools: readonly Tool[]): string {
  const parameters = [...listParameters(tool.command)];
  const findName = (...words: readonly string[]) =>
    tools.find((tool) => tool.words.join(' ') === words.join(' '))?.name;
  return text
    .replace(/`(kith [^`]+)`/g, '$1')
    .replace(/\bkith ([a-z-]+)(?: ([a-z-]+))?/g, (command, noun: string, verb = '') => {
      const name = findName(noun, verb);
      if (name !== undefined) return `\`${name}\``;
      const single = findName(noun);
      return single === undefined ? command : `\`${single}\` ${verb}`.trim();
    })
    .replace(/--[a-z][a-z-]*/g, (flag) => {
      const [name] = parameters.find(([, parameter]) => parameter.flag === flag) ?? [];
      return name === undefined ? flag : `\`${name}\``;
    });
}

/**
 * Converts a text of the command line, such as a hint, to one for an MCP client. Clauses that only a person at a command
 * line can follow are left out; the result may be empty.
 */
export function toToolText(text: string, tool: Tool, tools: readonly Tool[]): string {
  const sentences = nameTools(text.replaceAll(' --yes', ''), tool, tools)
    .replace(/\bflags\b/g, 'parameters')
    .split(/(?<=\.) /);
  const converted = sentences.map((sentence) => {
    const clauses = sentence.split('; ').filter((clause) => !commandLineWords.test(clause));
    const end = sentence.endsWith('.') && clauses.length > 0 ? '.' : '';
    return clauses.join('; ').replace(/[.:]$/, '') + end;
  });
  return converted.filter(Boolean).join(' ');
}
