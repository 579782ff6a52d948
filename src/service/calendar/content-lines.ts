import type { TextFile } from '../../contract/workspace.ts';
import { fileFailure, normalizeText, truncate } from '../recordings/text-file.ts';

/** A line of an iCalendar file with what was folded into it (RFC 5545, 3.1). */
export interface ContentLine {
  readonly text: string;
  /** That of its first part, from 1. */
  readonly number: number;
}

/** The lines of an iCalendar file. Throws `usage` where its components do not begin and end in order. */
export function readContentLines(file: TextFile): ContentLine[] {
  const lines: { text: string; number: number }[] = [];
  for (const [index, text] of normalizeText(file).split('\n').entries()) {
    const last = lines.at(-1);
    if (/^[ \t]/.test(text) && last) last.text += text.slice(1);
    else if (text.trim() !== '') lines.push({ text, number: index + 1 });
  }
  checkNesting(file, lines);
  return lines;
}

function checkNesting(file: TextFile, lines: readonly ContentLine[]): void {
  const open: ContentLine[] = [];
  for (const line of lines) {
    const [, verb, name] = /^(BEGIN|END):\s*(\S+)\s*$/i.exec(line.text) ?? [];
    if (verb?.toUpperCase() === 'BEGIN') open.push(line);
    else if (open.length === 0) throw fileFailure(file, 'This is no iCalendar file.', line.number);
    else if (!/^[\w.-]+[;:]/.test(line.text))
      throw fileFailure(
        file,
        `Expected a property such as SUMMARY:Title, not "${truncate(line.text)}".`,
        line.number,
      );
    else if (verb !== undefined && readComponentName(open.pop()) !== name?.toUpperCase())
      throw fileFailure(file, `END:${name} ends what did not begin.`, line.number);
  }
  const [left] = open;
  if (left) throw fileFailure(file, `${left.text} has no end: the file is cut off.`, left.number);
  if (!lines.some(({ text }) => /^BEGIN:\s*VCALENDAR\s*$/i.test(text)))
    throw fileFailure(file, 'This is no iCalendar file.');
}

function readComponentName(line: ContentLine | undefined): string | undefined {
  return line?.text.slice('BEGIN:'.length).trim().toUpperCase();
}
