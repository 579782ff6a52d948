import { nounWords } from '../contract/noun-words.ts';
import { readFileIfExists, readFolderIfExists } from '../files/read-file.ts';
import { sanitizeLine } from '../render/text/sanitize.ts';
import {
  hasWorkspaceVariable,
  identifyConnection,
  readMachineSecrets,
  resolveConnection,
} from '../settings/connection.ts';
import type { NameCache } from '../settings/name-cache.ts';
import {
  type Environment,
  findProjectFiles,
  resolveScheduleFolder,
  resolveSettingsFile,
} from '../settings/paths.ts';
import { readProjectFile } from '../settings/project-file.ts';
import { minSecretLength } from '../settings/redaction.ts';
import type { StoredSettings } from '../settings/settings.ts';
import {
  type Candidate,
  type CompletionRequest,
  listCandidates,
  listFixed,
  startsWith,
} from './candidates.ts';

const maxCandidates = 500;

/**
 * Returns the candidates for the word at the cursor, one per line, with a tab before a description. `words` are the
 * arguments of `kith`, as the completion scripts call it: `complete SOURCE --word=TEXT --command=NOUN [--list=LIST]
 * [--profile=NAME] [--base-url=URL]`. Reads only local files. Returns nothing if anything fails, because a shell would
 * show an error in the middle of the line.
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

/** The nouns whose records have another name. */
const recordNouns: Readonly<Record<string, string>> = {
  orgs: 'organizations',
  fields: 'custom-fields',
  meetings: 'events',
  deals: 'entries',
  report: 'entries',
};

/** Parses the arguments of `kith`. An alias of the shell may have flags before `complete`. */
function parseRequest(words: readonly string[]): CompletionRequest {
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
  const word = nounWords.get(typedNoun) ?? typedNoun;
  // A report selects entries.
  const noun = word === 'lists' && verb === 'report' ? 'entries' : (recordNouns[word] ?? word);
  return {
    ...{ source, noun },
    word: readFlag('--word') ?? '',
    list: readFlag('--list'),
    profile: readFlag('--profile'),
    baseUrl: readFlag('--base-url'),
  };
}

function readCandidates(request: CompletionRequest, place: Place): readonly Candidate[] {
  const { source, word } = request;
  if (source === 'profiles' || source === 'aliases') {
    const { [source]: storedValues = {} } = readSettings(place.env);
    return Object.keys(storedValues).flatMap((text) => (startsWith(text, word) ? [{ text }] : []));
  }
  if (source === 'permissions' || source === 'toolsets') return listFixed(source, word);
  if (source === 'schedules') {
    const names = readFolderIfExists(resolveScheduleFolder(place.env)).flatMap(
      (file) => /^([\w-]+)\.json$/.exec(file)?.[1] ?? [],
    );
    return names.flatMap((text) => (startsWith(text, word) ? [{ text }] : []));
  }
  return listCandidates(request, findCache(request, place));
}

/** Whether a shell can show and insert a text unchanged; a leading hyphen would make it a flag. */
const isTypable = (text: string) => sanitizeLine(text) === text && !/^-|^$/.test(text);

const formatLine = ({ text, description = '' }: Candidate) =>
  `${text}${description === '' ? '' : `\t${sanitizeLine(description)}`}\n`;

/** The environment and the current folder, which may have a project file. `folder` throws if the folder was removed. */
export interface Place {
  readonly env: Environment;
  readonly folder: string;
}

/** Reads the settings. They are not validated, which would take longer than everything else. */
function readSettings(env: Environment): StoredSettings {
  const text = String(readFileIfExists(resolveSettingsFile(env)) ?? '{}');
  return { profiles: {}, ...JSON.parse(text.replace(/^\ufeff/, '')) };
}

/**
 * Finds the name cache of the workspace in use.
 * @throws {Failure} unauthorized if there is none, usage if the project file is damaged
 */
function findCache(flags: CompletionRequest, place: Place): NameCache {
  const { env } = place;
  const settings = { read: () => ({ ...readSettings(env), ...readProjectProfile(place) }) };
  return { env, workspace: identifyConnection(resolveConnection(flags, env, () => settings)) };
}

/** Reads the profile of the project files. Their other settings concern only commands. */
function readProjectProfile(place: Place): Pick<StoredSettings, 'active'> {
  const { env } = place;
  const paths = hasWorkspaceVariable(env) ? [] : findProjectFiles({ env, getInvocation: () => place });
  const names = paths.map((path) => readProjectFile(path)?.profile);
  const active = names.find((name) => typeof name === 'string');
  return active === undefined ? {} : { active };
}
