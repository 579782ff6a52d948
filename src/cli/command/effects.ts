import type { ExitCode } from '../../contract/errors.ts';

interface EffectFacts {
  /** Whether it may send requests to a hosted service. */
  readonly sendsRequests?: true;
  /** How it changes a workspace: by requests, which guards check one by one, or `directly`, after a single check. */
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
} satisfies Record<string, EffectFacts>;

/** The effects of a command, and the exceptions to the rules that follow from them. */
export interface CommandEffects {
  /** The kind of change that the command may make. If omitted, `reads`. */
  readonly effects?: keyof typeof effectFacts;
  /** Returns whether a command that can write will not write for this input. If omitted, it may always write. */
  readonly readsOnly?: (input: Readonly<Record<string, unknown>>) => boolean;
  /** The supported flags of --dry-run and --yes. If omitted, both for writes to the service or the ledger. */
  readonly writingFlags?: readonly ('dryRun' | 'yes')[];
  /** `own`: the command records its writes for `kith undo`; `none`: nothing does. If omitted, the session records them. */
  readonly recording?: 'own' | 'none';
  /** The exit codes that the command adds to those of its mechanisms. */
  readonly exitCodes?: readonly ExitCode[];
  /** The exit codes of its mechanisms that the command never returns. */
  readonly unusedExitCodes?: readonly ExitCode[];
  /** Whether it reads or writes local files, so that agents must not run it with texts from records. */
  readonly isFileBased?: true;
  /** Whether it runs even if no workspace is configured. It may report that itself. */
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

export const supportsFlag = (command: CommandEffects, flag: 'dryRun' | 'yes'): boolean =>
  command.writingFlags?.includes(flag) ?? (isWrite(command) && sendsRequests(command));

/** Whether the command can preview its writes. Other commands make one change, without a plan. */
export const plansWrites = (command: CommandEffects) => isWrite(command) && supportsFlag(command, 'dryRun');

/** Whether the session records the writes of the command, or marks that they are not recorded. */
export const isRecordedBySession = (command: CommandEffects) =>
  isWrite(command) && command.recording !== 'own';
