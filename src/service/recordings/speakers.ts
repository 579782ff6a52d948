import { maxSpeakerLength, nameColon, unknownSpeaker } from '../../contract/speakers.ts';

/** A part of a cue. The speaker is empty if it is unknown. */
export interface Speech {
  readonly speaker: string;
  readonly text: string;
}

/** The dash or the arrows before the words of another speaker. */
const dialogueMark = String.raw`(?:[-–—]|>>)(?=[\s\p{L}])\s*`;
const dialogueLine = new RegExp(`^${dialogueMark}`, 'u');
const namedLine = new RegExp(
  String.raw`^(?:${dialogueMark})?(.{1,${maxSpeakerLength}}?)\s*(?::(?=\s|$)|：)\s*(.*)$`,
  'u',
);

/** Splits `Mina Seo: Good morning.` A time or another short number, or half of a bracket, is not a name. */
function splitName(line = ''): readonly [name: string, text: string] | undefined {
  const [, name = '', text = ''] = namedLine.exec(line) ?? [];
  const isName = /\p{L}|\p{So}|(?:\d\D*){5}/u.test(name) && !/[([][^)\]]*$/.test(name);
  return isName ? [name, text] : undefined;
}

const isSmall = (word: string | undefined) => /^\p{Ll}/u.test(word ?? '');

/** Whether a text is written like a name: at most half of its words, and not the last one, begin with a small letter. */
function isCapitalized(name: string): boolean {
  const words = name.split(' ');
  return words.filter(isSmall).length * 2 <= words.length && !isSmall(words.at(-1));
}

/**
 * Finds the speakers of cues, each a list of lines. This is decided for the whole file. If most cues begin with a name
 * and a colon, every text there is a name, because people choose names such as `bob` or `Bob’s iPhone`. If at least a
 * tenth do, the capitalized ones are names. `ignored`: texts that look like names, but were not read as names.
 */
export function findSpeakers(cues: readonly (readonly string[])[]) {
  const starts = cues.flatMap((lines) =>
    lines.filter((line, index) => index === 0 || dialogueLine.test(line)),
  );
  const names = starts.flatMap((line) => splitName(line)?.[0] ?? []);
  const isRepeated = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  // Most sentences that end with a colon are longer, and occur once.
  const isLikely = (name: string) => name.split(' ').length <= 3 || isCapitalized(name) || isRepeated(name);
  const isMost = names.length * 2 > starts.length && names.filter(isLikely).length * 2 > names.length;
  const capitalized = names.filter(isCapitalized);
  const isSome = capitalized.length * 10 >= starts.length;
  const speakers = new Set(isMost ? names : isSome ? capitalized : []);
  return {
    speeches: cues.map((lines) => splitSpeeches(lines, speakers)),
    ignored: [...new Set(names)].filter(
      (name) => !speakers.has(name) && (isCapitalized(name) || isRepeated(name)),
    ),
  };
}

function splitSpeeches(lines: readonly string[], speakers: ReadonlySet<string>): Speech[] {
  let speaker = '';
  return lines.map((line) => {
    const [name, text] = splitName(line) ?? [];
    if (name !== undefined && text !== undefined && speakers.has(name)) {
      speaker = toSpeaker(name);
      return { speaker, text };
    }
    // Without a name, the second line of a dialogue is another person's.
    if (dialogueLine.test(line) && dialogueLine.test(lines[0] ?? '')) speaker = '';
    return { speaker, text: line };
  });
}

/** Returns the speaker with a name in a file, without the replacements of `formatSrt`. */
const toSpeaker = (name: string) =>
  name === unknownSpeaker ? '' : name.replaceAll(nameColon, ':').replaceAll('‹', '<');
