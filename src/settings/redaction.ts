import type { Transport } from '../client/delivery.ts';
import type { WireResponse } from '../contract/grammar.ts';
import { longWork, yieldToSignals } from '../values/concurrency.ts';
import { parseRawJson } from '../values/raw-json.ts';

export const redactionMark = '[key]';

/** Shorter secrets could be ordinary words, and their removal would reveal them. */
export const minSecretLength = 8;

/** Creates a redactor. Reads the secrets when the first text is redacted. */
export function createRedactor(readSecrets: () => readonly string[]) {
  const secrets = new Set<string>();
  let patterns: { readonly plain: RegExp; readonly escaped: RegExp } | undefined;
  let isLoaded = false;
  const add = (secret: string) => {
    if (secret.length < minSecretLength || secrets.has(secret)) return;
    secrets.add(secret);
    // The longest secret first, because a secret may be the beginning of another.
    const longest = [...secrets].sort((left, right) => right.length - left.length);
    const compile = (letter: LetterPattern) =>
      new RegExp(longest.map((secret) => toPattern(secret, letter)).join('|'), 'gi');
    patterns = { plain: compile(toPlainPattern), escaped: compile(toEscapedPattern) };
  };
  /** Returns a text without the secrets, in any escaped spelling. */
  const redact = (text: string) => {
    if (text === '') return text;
    if (!isLoaded) {
      isLoaded = true;
      readSecrets().forEach(add);
    }
    return patterns
      ? text.replace(hasEscapedLetters(text) ? patterns.escaped : patterns.plain, redactionMark)
      : text;
  };
  return { add, redact };
}

/** Whether a text escapes letters or digits, so that it needs the slower pattern. */
const hasEscapedLetters = (text: string) =>
  (text.includes('\\u00') || text.includes('%')) && escapedLetters.test(text);
const escapedLetters = /\\u00[2-7][\da-f]|%(?:25)*[2-7][\da-f]/i;

/** Returns a pattern for a secret, plain or escaped for a URL, form, JSON, CSV, XML or shell. */
function toPattern(secret: string, letter: LetterPattern): string {
  return Array.from(secret, (character) => {
    const literal = character.replace(/[\^$.*+?()[\]{}|/\\-]/, '\\$&');
    if (!/[\w.~-]/.test(character)) return toSymbolPattern(character, literal);
    return letter(literal, character.charCodeAt(0).toString(16));
  }).join('');
}

type LetterPattern = (literal: string, code: string) => string;
const toPlainPattern: LetterPattern = (literal) => literal;
const toEscapedPattern: LetterPattern = (literal, code) => `(?:${literal}|\\\\+u00${code}|%(?:25)*${code})`;

function toSymbolPattern(character: string, literal: string): string {
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => byte.toString(16).padStart(2, '0'));
  const units = Array.from({ length: character.length }, (_, index) =>
    character.charCodeAt(index).toString(16).padStart(4, '0'),
  );
  return `(?:${[
    // A shell may quote the following characters separately.
    character === '\\' ? "\\\\+(?:'')?" : `\\\\*(?:${literal})+`,
    bytes.map((byte) => `%(?:25)*${byte}`).join(''),
    units.map((unit) => `\\\\+u${unit}`).join(''),
    ...(/[&<>"']/.test(character) ? ['&#?\\w+;'] : []),
    ...(character === "'" ? [`'\\\\''`] : []),
  ].join('|')})`;
}

/** Returns a transport that redacts responses: their texts go into tables, reports and file names. */
export function redactResponses(transport: Transport, redact: (text: string) => string): Transport {
  return {
    ...transport,
    send: async (request, signal, timeout) => {
      const response = await transport.send(request, signal, timeout);
      if ((response.text ?? '').length < longWork.text) return redactResponse(response, redact);
      await yieldToSignals(signal);
      const clean = redactResponse(response, redact);
      await yieldToSignals(signal);
      return clean;
    },
  };
}

function redactResponse(response: WireResponse, redact: (text: string) => string): WireResponse {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, redact(value)]),
  );
  const { text = '', body } = response;
  const clean = redact(text);
  if (clean === text) return { ...response, headers };
  try {
    const value = typeof body === 'string' ? clean : body && parseRawJson(clean).value;
    return { ...response, headers, text: clean, body: value };
  } catch {
    return response; // the key was a number; the output is redacted as well
  }
}
