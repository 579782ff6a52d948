export interface CompletionRequest {
  /** A `CompletionSource` of a flag or an argument. */
  readonly source: string;
  /** The typed part of the word, without quotes. */
  readonly word: string;
  /** The noun on the command line, not its alias. */
  readonly noun: string;
  /** The list on the command line, by id or name. */
  readonly list: string | undefined;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** The aliases of nouns. */
const aliases: Readonly<Record<string, string>> = {
  orgs: 'organizations',
  fields: 'custom-fields',
  meetings: 'events',
};

/** Parses the arguments of `kith`. An alias of the shell may have flags before `complete`. */
export function parseRequest(words: readonly string[]): CompletionRequest {
  const at = words.indexOf('complete');
  const [source = '', ...flags] = words.slice(at + 1);
  const allFlags = [...words.slice(0, at), ...flags];
  const readFlag = (name: string) => {
    const values = allFlags.flatMap((flag, index) => {
      if (flag.startsWith(`${name}=`)) return [flag.slice(name.length + 1)];
      return allFlags[index - 1] === name ? [flag] : [];
    });
    return values.at(-1) || undefined;
  };
  const [typedNoun = '', verb] = (readFlag('--command') ?? '').split(' ');
  // A report selects entries.
  const noun = typedNoun === 'lists' && verb === 'report' ? 'entries' : (aliases[typedNoun] ?? typedNoun);
  return {
    ...{ source, noun },
    word: readFlag('--word') ?? '',
    list: readFlag('--list'),
    profile: readFlag('--profile'),
    baseUrl: readFlag('--base-url'),
  };
}
