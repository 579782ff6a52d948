import { styleText } from 'node:util';

export interface SearchChoice {
  readonly value: string;
  /** Returns its name and what distinguishes it, truncated so that both and a space and parentheses fit. */
  readonly format: (columns: number) => { readonly label: string; readonly hint: string };
  /** Whether it matches a typed text. */
  readonly matches: (text: string) => boolean;
}

/** A question whose choices arrive one batch after the other. */
export interface Search {
  readonly message: () => string;
  /** The initial search text. */
  readonly initialText?: string | undefined;
  readonly batches: AsyncIterable<readonly SearchChoice[]>;
}

/** The columns that the prompt draws left of a choice, and one that stays free. */
const margin = 6;

/** Shows a search in a terminal; a symbol means cancelled. @throws what reading the choices throws */
export async function askSearch(
  { autocomplete }: typeof import('@clack/prompts'),
  { message, initialText: initialUserInput = '', batches }: Search,
  { output, signal, ...options }: { output: NodeJS.WriteStream; signal: AbortSignal; maxItems: number },
): Promise<string | symbol> {
  type Row = { value: string; readonly label: string; readonly matches: SearchChoice['matches'] };
  const rows: Row[] = [];
  const toRow = ({ value, format, matches }: SearchChoice): Row => ({
    value,
    // Each redraw reads it again, for the width that the terminal has then.
    get label() {
      const { label, hint } = format(Math.max(1, (output.columns || 80) - margin));
      return hint === '' ? label : `${label} ${styleText('dim', `(${hint})`)}`;
    },
    matches,
  });
  const iterator = batches[Symbol.asyncIterator]();
  const failing = new AbortController();
  let isAnswered = false;
  const load = async () => {
    for (let next = await iterator.next(); !next.done && !isAnswered; next = await iterator.next()) {
      for (const choice of next.value) rows.push(toRow(choice));
      output.emit('resize'); // the prompt draws itself again
    }
  };
  const loading = load().catch((error: unknown) => failing.abort(error));
  await Promise.race([loading, new Promise(setImmediate)]);
  let count = rows.length;
  try {
    const answer = await autocomplete<string>({
      get message() {
        return message();
      },
      options() {
        // The library filters only after a key.
        if (count < rows.length) {
          const addedRows = rows.slice(count).filter((row) => row.matches(this.userInput));
          count = rows.length;
          this.filteredOptions = [...this.filteredOptions, ...addedRows];
          if (this.focusedValue === undefined && addedRows[0]) {
            this.focusedValue = addedRows[0].value;
            this.toggleSelected(this.focusedValue);
          }
        }
        return rows;
      },
      filter: (text, row) => (row as Row).matches(text),
      validate: (value) =>
        value === undefined ? 'Nothing matches. Change the text or press Escape.' : undefined,
      signal: AbortSignal.any([signal, failing.signal]),
      ...{ output, initialUserInput, ...options },
    });
    failing.signal.throwIfAborted();
    return answer;
  } finally {
    isAnswered = true;
    void iterator.return?.();
  }
}
