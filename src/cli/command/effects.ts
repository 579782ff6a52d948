import type { ExitCode } from '../../contract/errors.ts';

interface EffectFacts {
  /** Whether it may send requests to a hosted service. */
  readonly sendsRequests?: true;
  /** How it changes a workspace: with requests, or `directly`, so that only the check before it can stop it. */
  readonly writes?: 'requests' | 'directly';
  readonly deletes?: true;
}

const effectFacts = {
  reads: { sendsRequests: true },
  creates: { sendsRequests: true, writes: 'requests' }, // changes no existing record
  updates: { sendsRequests: true, writes: 'requests' },
  deletes: { sendsRequests: true, writes: 'requests', deletes: true }, // records or values
  prunes: { sendsRequests: true, deletes: true }, // a local index, mirror, export or working copy
  marks: { sendsRequests: true, writes: 'directly' }, // action items, in the ledger
  local: {}, // prints, or adds settings, files or schedules on this machine
  discards: { deletes: true }, // replaces or deletes settings, files or schedules on this machine
  stores: { writes: 'directly' }, // in the file or database of a workspace
  erases: { writes: 'directly', deletes: true }, // in the file or database of a workspace
} as const satisfies Record<string, EffectFacts>;

/** What a command may change. */
export type Effects = keyof typeof effectFacts;

/** The properties of a command from which follows how kith treats it. */
export interface CommandEffects {
  /** If omitted, `reads`. */
  readonly effects?: Effects;
  /**
   * `text`: it prints a text, not records; `protocol`: a text that a shell or another program expects, so that no variable
   * changes its format.
   */
  readonly output?: 'text' | 'protocol';
  /** Whether a command that can write only reads with this input. If omitted, it writes. */
  readonly readsOnly?: (input: Readonly<Record<string, unknown>>) => boolean;
  /** Which of --dry-run and --yes it supports. If omitted, both if it sends writes or marks action items, else none. */
  readonly writingFlags?: readonly ('dryRun' | 'yes')[];
  /** `own`: it records its writes for `kith undo` itself; `none`: they are never recorded. If omitted, the session does. */
  readonly recording?: 'own' | 'none';
  /**
   * The exit codes that do not follow from its effects: 6 if it may fail for some records, rows or files and succeed for
   * the others, 8 if it may change or remove a guard, which only a person may do.
   */
  readonly exitCodes?: readonly ExitCode[];
  /** Whether it uses local files, which agents must not use. */
  readonly isFileBased?: true;
  /** Whether it sends requests, but runs without a workspace or itself reports that none is configured. */
  readonly isWorkspaceOptional?: true;
  readonly options?: Readonly<Record<string, unknown>>;
}

const getFacts = ({ effects = 'reads' }: CommandEffects): EffectFacts => effectFacts[effects];

export const sendsRequests = (command: CommandEffects) => getFacts(command).sendsRequests === true;

/** Whether the command runs only with a workspace in use. */
export const needsWorkspace = (command: CommandEffects) =>
  sendsRequests(command) && !command.isWorkspaceOptional;

/** Whether the command may change a workspace, with the given input if there is one. Guards can forbid it. */
export const isWrite = (command: CommandEffects, input?: Readonly<Record<string, unknown>>) =>
  getFacts(command).writes !== undefined && !(input && command.readsOnly?.(input));

/** Whether the command changes a file, a database or the action ledger without a request. */
export const writesDirectly = (command: CommandEffects) => getFacts(command).writes === 'directly';

export const mayDelete = (command: CommandEffects) => getFacts(command).deletes === true;

export const isCreateOnly = ({ effects }: CommandEffects) => effects === 'creates';

export function supportsFlag(command: CommandEffects, flag: 'dryRun' | 'yes'): boolean {
  const { writingFlags } = command;
  return writingFlags ? writingFlags.includes(flag) : isWrite(command) && sendsRequests(command);
}

/** Whether the command can preview its writes. The others make one change, which they do not plan. */
export const plansWrites = (command: CommandEffects) => isWrite(command) && supportsFlag(command, 'dryRun');

/** Whether --watch can repeat the command: it selects the records to print. */
export const isWatchable = (command: CommandEffects) =>
  !isWrite(command) && command.options?.where !== undefined;

/** Whether the session records the writes of the command, or marks that they are not recorded. */
export const isRecordedBySession = (command: CommandEffects) =>
  isWrite(command) && command.recording !== 'own';

/** Whether no variable changes the format of the output. */
export const hasFixedOutput = ({ output }: CommandEffects) => output === 'protocol';

/** Whether agents may run the command with the text of records: it does not use local files. */
export const mayAgentsRun = ({ isFileBased }: CommandEffects) => !isFileBased;
