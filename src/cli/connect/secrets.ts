import type { Transport } from '../../client/delivery.ts';
import { Failure } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import { parseRawJson } from '../../values/raw-json.ts';
import { longWork, yieldToSignals } from '../jobs/long-work.ts';

/** Takes secrets out of texts. */
export interface Redactor {
  /** Takes one more out from here on. */
  add(secret: string): void;
  /** A text without them, in whatever spelling they are in it. */
  redact(text: string): string;
}

/** What stands in the place of a secret. */
const mark = '[key]';

/** One that is shorter could be any word, and its removal would tell it. */
const shortest = 8;

/** Secrets that are kept. Those that are known from the start are asked for when there is a text to look through. */
export function createRedactor(known: () => readonly string[]): Redactor {
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;
  let escapedPattern: RegExp | undefined;
  let isAsked = false;
  const keep = (secret: string) => {
    if (secret.length < shortest || secrets.has(secret)) return;
    secrets.add(secret);
    // The longest first: one may begin as another does.
    const longest = [...secrets].sort((one, other) => other.length - one.length);
    pattern = new RegExp(longest.map((one) => spelled(one, unescapedLetter)).join('|'), 'gi');
    escapedPattern = new RegExp(longest.map((one) => spelled(one, escapedLetter)).join('|'), 'gi');
  };
  return {
    add: keep,
    redact: (text) => {
      if (text === '') return text;
      if (!isAsked) {
        isAsked = true;
        known().forEach(keep);
      }
      const fitting = escapesLetters(text) ? escapedPattern : pattern;
      return fitting ? text.replace(fitting, mark) : text;
    },
  };
}

/** Letters and digits need no escape, but may have one. To look for those takes longer, and is hardly ever needed. */
const escapesLetters = (text: string) =>
  (text.includes('\\u00') || text.includes('%')) && escapedLetters.test(text);
const escapedLetters = /\\u00[2-7][\da-f]|%(?:25)*[2-7][\da-f]/i;

/** A pattern for a secret as it is, in a URL, a form, JSON, CSV, XML or the quotes of a shell. */
function spelled(secret: string, letter: (itself: string, code: string) => string): string {
  return Array.from(secret, (character) => {
    const itself = character.replace(/[\^$.*+?()[\]{}|/\\-]/, '\\$&');
    if (!/[\w.~-]/.test(character)) return spelledSign(character, itself);
    return letter(itself, character.charCodeAt(0).toString(16));
  }).join('');
}

const unescapedLetter = (itself: string) => itself;
const escapedLetter = (itself: string, code: string) => `(?:${itself}|\\\\+u00${code}|%(?:25)*${code})`;

function spelledSign(character: string, itself: string): string {
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => byte.toString(16).padStart(2, '0'));
  const units = Array.from({ length: character.length }, (_, index) =>
    character.charCodeAt(index).toString(16).padStart(4, '0'),
  );
  return `(?:${[
    // What follows it may begin a new word in quotes.
    character === '\\' ? "\\\\+(?:'')?" : `\\\\*(?:${itself})+`,
    bytes.map((byte) => `%(?:25)*${byte}`).join(''),
    units.map((unit) => `\\\\+u${unit}`).join(''),
    ...(/[&<>"']/.test(character) ? ['&#?\\w+;'] : []),
    ...(character === "'" ? [`'\\\\''`] : []),
  ].join('|')})`;
}

/** Matches what looks like an API key: a known prefix and random characters, or a long run of letters and digits. */
const keyPattern = /\b(?:kith|sk|pk|key|api|token)[_-][\w-]{20,}|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{32,}/gi;

const redactKeys = (text: string) => text.replace(keyPattern, '[key]');

/**
 * Redacts keys in an error about the command line or the environment: a key typed in the wrong place would end up in
 * logs. Other errors name records, whose ids may look like keys.
 */
export function redactMistypedKeys(failure: Failure): Failure {
  const { code, message, detail } = failure;
  if (code !== 'usage' && code !== 'unauthorized') return failure;
  const faults = detail.fieldErrors?.map((fault) => ({ ...fault, message: redactKeys(fault.message) }));
  const hint = detail.hint && redactKeys(detail.hint);
  return new Failure(code, redactKeys(message), { ...detail, fieldErrors: faults, hint });
}

/**
 * A transport whose answers hold no secret: a service may say the key again, and what it says goes into tables,
 * reports and file names.
 */
export function redactResponses(transport: Transport, { redact }: Pick<Redactor, 'redact'>): Transport {
  return {
    ...transport,
    send: async (request, signal) => {
      const answer = await transport.send(request, signal);
      if ((answer.text ?? '').length < longWork.text) return cleaned(answer, redact);
      await yieldToSignals(signal);
      const clean = cleaned(answer, redact);
      await yieldToSignals(signal);
      return clean;
    },
  };
}

function cleaned(answer: WireResponse, hide: (text: string) => string): WireResponse {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, hide(value)]),
  );
  const { text = '', body } = answer;
  const clean = hide(text);
  if (clean === text) return { ...answer, headers };
  try {
    const value = typeof body === 'string' ? clean : body && parseRawJson(clean).value;
    return { ...answer, headers, text: clean, body: value };
  } catch {
    return answer; // a number that is the key: what is printed is looked through again
  }
}
