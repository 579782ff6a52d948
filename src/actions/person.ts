import { foldText } from '../values/fold.ts';
import { formatFullName } from '../values/record-names.ts';

/** A person whose name an item may begin with. The names are empty if the address belongs to no contact. */
export interface NamedPerson {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** Words and marks before a name: `Frau Petersen`, `O Rui`, `[Jiwoo]`, `@Jiwoo`. */
const prefix =
  /^[^\p{L}\p{N}]*(?:(?:mr|mrs|ms|dr|prof|herr|frau|m|mme|sr|sra|senor|senora|don|dona|o|a)\b\.? +)?/u;

/** Honorifics and particles directly after a Korean or Japanese name. */
const koreanEnding =
  /^ ?(?:님|씨|팀장|과장|부장|대리|이사|대표)*(?:께서는|께서|이가|이는|이|가|은|는|도)?(?!\p{L})/u;
const japaneseEnding = /^(?:さん|様|さま|氏|くん|君|部長|課長)?(?:が|は|も|に|へ|から|と|\P{L}|$)/u;

/** The end of a name in any other script. Korean and Japanese particles may follow it directly. */
const otherEnding = /^(?:$|[^\p{L}\p{M}\p{N}]|[\p{Script=Hangul}\p{Script=Hiragana}])/u;

const hangul = /\p{Script=Hangul}$/u;
const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]$/u;

/**
 * Returns a function that finds the person with whose name an item's text begins; undefined if nobody, or more than one
 * person, has the name.
 */
export function createPersonFinder<T extends NamedPerson>(
  people: readonly T[],
): (text: string) => T | undefined {
  const names = people.flatMap((person) => listNameForms(person).map((name) => ({ person, name })));
  return (text) => {
    const folded = foldText(text);
    const starts = [folded.replace(/^[^\p{L}\p{N}]+/u, ''), folded.replace(prefix, '')];
    const matches = names.filter(({ name }) => starts.some((start) => beginsWithName(start, name)));
    const longest = Math.max(0, ...matches.map(({ name }) => name.length));
    const [match, ...others] = new Set(
      matches.filter(({ name }) => name.length === longest).map(({ person }) => person),
    );
    return others.length === 0 ? match : undefined;
  };
}

/**
 * Returns the folded forms of a person's name. An address such as `rui.tavares@` also contains a name: in another script
 * than the contact's name, or of a colleague who is not a contact.
 */
function listNameForms({ email, first_name, last_name }: NamedPerson): string[] {
  const words = (email.split('@')[0] ?? '').split(/[^\p{L}]+/u).filter((word) => word.length > 2);
  const [full = '', first = '', last = '', ...folded] = [
    formatFullName(first_name, last_name),
    ...[first_name, last_name, ...words],
  ].map((name) => foldText(name).trim().replace(/\s+/g, ' '));
  const names = [full, `${first} ${last}`.trim(), `${last} ${first}`.trim(), first, last];
  // One Latin letter is an initial, and one Hangul syllable a family name that many people have.
  return [...new Set([...names, folded.join(' '), ...folded])].filter(
    (name) => name.length > 1 || /^\p{Script=Han}$/u.test(name),
  );
}

function beginsWithName(text: string, name: string): boolean {
  if (!text.startsWith(name)) return false;
  const rest = text.slice(name.length);
  if (hangul.test(name)) return koreanEnding.test(rest);
  return han.test(name) ? japaneseEnding.test(rest) : otherEnding.test(rest);
}
