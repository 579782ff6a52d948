import type { Failure } from '../../contract/errors.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import type { SearchChoice } from '../../process/search-prompt.ts';
import { collectReferences, type GetName } from '../../render/collect-references.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { measureWidth, truncate } from '../../render/text/width.ts';
import { foldText } from '../../values/fold.ts';
import type { Session } from '../command/context.ts';
import { wrapQuestion } from '../command/interaction.ts';
import { readFirst } from '../command/records.ts';
import { createNames } from './name-loader.ts';
import type { Candidate } from './reference-kinds.ts';

export interface Item {
  readonly id: string;
  readonly describe: (getName: GetName) => Description;
}

/** The texts that a picker shows and searches. Empty ones are not shown. */
interface Description {
  readonly name: string | null | undefined;
  /** Texts that distinguish the item from others of the same name. */
  readonly details?: readonly (string | null | undefined)[];
  /** Other texts that the search finds. */
  readonly keywords?: readonly string[];
}

/** Milliseconds to wait for the names of related records. A picker also works without them. */
const namesTimeout = 1000;

/** Maximum characters of a text to show and search: the name of a note is its whole text. */
const maxLength = 500;

/** Maximum share of a line that is reserved for a hint. */
const hintShare = 0.4;

interface ItemQuestion {
  readonly message: () => string;
  /** The initial search text. */
  readonly initialText?: string | undefined;
  /** Reads the items. The requests of this session end with the choice. */
  readonly read: (background: Session) => AsyncIterable<readonly Item[]>;
  /** The failure if there are no items. */
  readonly empty: () => Failure;
}

/**
 * Lets the person at the terminal choose an item, and returns its id. The items are read while the person types.
 * @throws {Failure} `empty` if the list is empty, interrupted on Escape
 */
export async function chooseItem(session: Session, question: ItemQuestion): Promise<string> {
  const { message, initialText, read, empty } = question;
  const choosing = new AbortController();
  const background = session.derive({ signal: choosing.signal });
  const names = createNames(background, { timeout: namesTimeout });
  const readWords = createWordReader();
  const readChoices = async function* (): AsyncGenerator<readonly SearchChoice[]> {
    for await (const items of read(background)) {
      await names.load(items.flatMap(({ describe }) => collectReferences(describe)));
      if (items.length > 0) yield items.map((item) => createChoice(item, names.get, readWords));
    }
  };
  try {
    const { batches, isEmpty } = await readFirst(readChoices());
    if (isEmpty) throw empty();
    return await session.terminal.prompts.search({
      message: () => wrapQuestion(session, message()),
      initialText,
      batches,
    });
  } finally {
    choosing.abort();
  }
}

type WordReader = (text: string) => readonly string[];

/** Creates a function that splits a typed text into folded words; all items are compared with the same text. */
function createWordReader(): WordReader {
  let latest: string | undefined;
  let words: readonly string[] = [];
  return (text) => {
    if (text !== latest) [latest, words] = [text, foldText(text).split(/\s+/)];
    return words;
  };
}

/** Creates the choice for an item. It matches a text if it contains all of its words, in any order and spelling. */
function createChoice({ id, describe }: Item, getName: GetName, readWords: WordReader): SearchChoice {
  let description: { readonly label: string; readonly hint: string; readonly text: string } | undefined;
  let key: string | undefined;
  // Until the person types, only the items on the screen are described.
  const describeOnce = () => {
    if (description) return description;
    const { name, details = [], keywords = [] } = describe(getName);
    const texts = [name ?? '', ...details.map((detail) => detail ?? '')].map((text) =>
      sanitizeLine(text.slice(0, maxLength)),
    );
    const [label = sanitizeLine(id), ...hints] = new Set(texts.filter((text) => text !== ''));
    const hint = hints.join(', ') || (label === id ? '' : sanitizeLine(id));
    description = { label, hint, text: [...texts, id, ...keywords].join('\n') };
    return description;
  };
  return {
    value: id,
    format(columns) {
      const { label, hint } = describeOnce();
      const frame = ' ()'.length;
      const reservedWidth = Math.min(measureWidth(hint) + frame, Math.floor(columns * hintShare));
      const name = truncate(label, columns - reservedWidth);
      return { label: name, hint: truncate(hint, columns - measureWidth(name) - frame) };
    },
    matches(text) {
      key ??= foldText(describeOnce().text);
      return readWords(text).every((word) => key?.includes(word));
    },
  };
}

/** Returns a candidate as an item. `details`: more texts that distinguish it. `keyword`: one that finds it. */
export function toItem(candidate: Candidate, details: readonly string[] = [], keyword = ''): Item {
  const { id, name, detail, names, emails = [], organizationId } = candidate;
  return {
    id,
    describe: (getName) => ({
      name,
      details: [detail, findName(getName, 'organization', organizationId), ...details],
      keywords: [...names, ...emails, keyword],
    }),
  };
}

/** Returns the name of a record; undefined if the record has no name, or kith could not load it. */
export function findName(getName: GetName, kind: PartyNoun, id: string | null | undefined) {
  const name = id ? getName(kind, id) : undefined;
  return name === id ? undefined : name;
}
