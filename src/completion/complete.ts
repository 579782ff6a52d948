import { sanitizeLine } from '../render/text/sanitize.ts';
import { minSecretLength, readMachineSecrets } from '../settings/connection.ts';
import { listCandidates } from './candidates.ts';
import { openNames, type Place, readSettings } from './connect.ts';
import { type CompletionRequest, parseRequest } from './request.ts';
import { type Candidate, startsWith } from './workspace.ts';

/** Maximum number of candidates that a shell gets. */
const maxCandidates = 500;

/**
 * Returns the candidates for the word at the cursor, one per line, with a tab before a description. `words` are the
 * arguments of `kith`, as the completion scripts call it: `complete SOURCE --word=TEXT --command=NOUN [--list=LIST]
 * [--profile=NAME] [--base-url=URL]`. Reads only files of this machine. Returns nothing if anything fails: a shell would show an error in
 * the middle of the line.
 */
export function complete(words: readonly string[], place: Place): string {
  try {
    const candidates = readCandidates(parseRequest(words), place).filter(({ text }) => isTypable(text));
    const secrets = readMachineSecrets(place.env).filter(({ length }) => length >= minSecretLength);
    const lines = candidates.slice(0, maxCandidates).map(formatLine);
    return lines.filter((line) => !secrets.some((secret) => line.includes(secret))).join('');
  } catch {
    return '';
  }
}

function readCandidates(request: CompletionRequest, place: Place): readonly Candidate[] {
  const { source, word } = request;
  if (source === 'profiles' || source === 'aliases') {
    const { [source]: stored = {} } = readSettings(place.env);
    return Object.keys(stored).flatMap((text) => (startsWith(text, word) ? [{ text }] : []));
  }
  const names = openNames(request, place);
  try {
    return names ? listCandidates(request, names) : [];
  } finally {
    names?.close();
  }
}

/** Whether a shell can show and insert a text unchanged; a leading hyphen would make it a flag. */
const isTypable = (text: string) => sanitizeLine(text) === text && !/^-|^$/.test(text);

const formatLine = ({ text, description = '' }: Candidate) =>
  `${text}${description === '' ? '' : `\t${sanitizeLine(description)}`}\n`;
