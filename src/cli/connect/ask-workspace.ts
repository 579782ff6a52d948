import { requireFailure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { wrapParagraph } from '../../render/text/paragraph.ts';
import { parseBaseUrl } from '../../settings/base-url.ts';
import type { Session } from '../command/context.ts';
import type { Profiles } from './connection.ts';
import { containsKey } from './secrets.ts';

/** The minimum terminal width for the hints of the choices. */
const minHintWidth = 60;

const workspaces = [
  { value: 'sample', label: 'Sample workspace', hint: 'recommended for a first look' },
  { value: 'local', label: 'Workspace on this machine', hint: 'one file, no account' },
  { value: 'hosted', label: 'Hosted service', hint: 'requires its URL and an API key' },
] as const;

const introduction = [
  'kith manages contacts, organizations, notes, lists and recorded meetings.',
  'You are not signed in to a workspace.',
];

/** Asks which workspace to sign in to. If no profile exists, first prints an introduction to kith. */
export async function chooseWorkspace(session: Session, profiles: Profiles | undefined): Promise<string> {
  const isNew = Object.keys(profiles ?? {}).length === 0;
  const width = (session.streams.stderr.columns ?? 80) - '│  '.length;
  const lines = [...(isNew ? introduction : []), 'Which workspace do you want to use?'];
  const question = lines.map((line) => wrapParagraph(line, width)).join('\n');
  const choices = workspaces.map(({ hint, ...choice }) =>
    width < minHintWidth ? choice : { ...choice, hint },
  );
  return session.terminal.prompts.select(question, choices);
}

/** Asks for a base URL until a service responds there. The check sends no key, because the key is asked for later. */
export async function askBaseUrl(session: Session, initialValue?: string): Promise<string> {
  const rules = { placeholder: 'https://crm.example.com', validate: findUrlProblem };
  let typed = initialValue;
  for (;;) {
    const editable = typed === undefined ? {} : { initialValue: typed };
    const answer = await session.terminal.prompts.text('Base URL of the service', { ...rules, ...editable });
    typed = answer.trim();
    const problem = await findServiceProblem(session, typed);
    if (!problem) return typed;
    await session.messages.warn(problem.message);
    if (problem.hasKey) typed = undefined;
  }
}

function findUrlProblem(typed: string): string | undefined {
  // An accepted answer stays on the screen.
  if (containsKey(typed)) return 'The base URL contains an API key. Press Ctrl-U to clear it.';
  try {
    parseBaseUrl(typed.trim(), 'The base URL');
    return undefined;
  } catch (error) {
    const { message, detail } = requireFailure(error);
    const [advice = ''] = detail.hint?.split(/(?<=\.) /) ?? [];
    return `${message} ${advice}`.trim();
  }
}

interface ServiceProblem {
  readonly message: string;
  /** Whether the URL contains a key, so that it must not be shown again. */
  readonly hasKey: boolean;
}

/**
 * Returns the problem if no service can be reached at a URL; undefined otherwise.
 * @throws {Failure} usage if the environment names an invalid proxy
 */
async function findServiceProblem(session: Session, baseUrl: string): Promise<ServiceProblem | undefined> {
  await session.services.machine.checkProxy(baseUrl);
  try {
    const { connections } = session.derive({ attempts: 1 });
    const client = await connections.createClient(await connections.createTransport({ baseUrl }));
    await client.page(lists.list, { first: 1 });
    return undefined;
  } catch (error) {
    session.signal.throwIfAborted();
    const { code, message } = requireFailure(error);
    if (code === 'unauthorized' || code === 'forbidden') return undefined; // the service responds, and requires a key
    const hasKey = code === 'usage';
    const isClear = hasKey || code === 'unavailable' || code === 'rate_limited';
    const isComplete = isClear || message.includes(new URL(baseUrl).origin);
    return { message: isComplete ? message : `${baseUrl} is not a kith service: ${message}`, hasKey };
  }
}

/** Asks for the key of a service until `use` accepts it. */
export async function askKey<T>(
  session: Session,
  origin: string,
  use: (key: string) => Promise<T>,
): Promise<T> {
  const validate = (typed: string) => findKeyProblem(typed.trim())?.message;
  for (;;) {
    const typed = await session.terminal.prompts.secret(`API key for ${origin}`, { validate });
    try {
      return await use(typed.trim());
    } catch (error) {
      const { code, message } = requireFailure(error);
      if (code !== 'unauthorized' && code !== 'forbidden') throw error;
      await session.messages.warn(message);
    }
  }
}

/** Returns why a text cannot be an API key, and what to do. */
export function findKeyProblem(key: string): { readonly message: string; readonly hint: string } | undefined {
  if (key === '')
    return { message: 'The API key is empty.', hint: 'Pass it on stdin: --key-stdin < key.txt' };
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  return {
    message: 'The API key contains invalid characters.',
    hint: 'Check that you copied only the key, on one line.',
  };
}
