import { Failure } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import {
  formatPermission,
  formatPermissions,
  type Permission,
  parsePermissions,
} from '../../contract/permissions.ts';
import { once } from '../../values/concurrency.ts';
import { formatCount } from '../../values/text.ts';
import type { AnyCommand, CommandInput } from '../command/command.ts';
import type { Configuration } from '../connect/connection.ts';
import type { Globals } from '../flags/globals.ts';
import { type GuardName, guardNames, guardOptions } from '../flags/guards.ts';
import { type Guard, readGuards } from './read-guards.ts';

interface Admission {
  /** Called with the status of the response, if there is one. */
  readonly done: (status: number) => void;
}

/** A guard in force, for `kith auth status` and `kith config list`. */
interface EffectiveGuard {
  readonly name: GuardName;
  readonly value: string;
  /** All places that set it. */
  readonly from: string;
}

/** The properties of a command that decide whether a guard forbids it. */
export type GuardedCommand = Pick<
  AnyCommand,
  'isWrite' | 'isLocalWrite' | 'readsOnly' | 'isWorkspaceOptional'
>;

/**
 * The limits on the writes and requests of a run. All guards apply together, so that no guard can loosen another. The
 * counts cover the whole run, such as the life of an MCP server.
 */
export interface Guards {
  /** Lists the guards in force. @throws {Failure} usage if one is invalid */
  readonly list: () => Promise<readonly EffectiveGuard[]>;
  /** Refuses a command that writes, before it sends any request. @throws {Failure} blocked */
  readonly checkCommand: (
    command: GuardedCommand,
    input: CommandInput,
    words: readonly string[] | undefined,
  ) => Promise<void>;
  /** Admits one attempt of a request. @throws {Failure} blocked, or limit_reached */
  readonly admit: (request: WireRequest) => Promise<Admission>;
}

export function createGuards(configuration: Configuration, globals: Globals): Guards {
  const load = once(async () => new LoadedGuards(await readGuards(configuration, globals)));
  return {
    list: async () => (await load()).list(),
    checkCommand: async (command, input, words) => {
      const isWrite = command.isWrite || command.isLocalWrite;
      // The guards of a command that sends nothing are not read: it must run even if they are invalid.
      if (isWrite && !command.readsOnly?.(input)) (await load()).checkWrite(command, words);
    },
    admit: async (request) => (await load()).admit(request),
  };
}

const noop = () => {};

class LoadedGuards {
  readonly #guards: readonly Guard[];
  readonly #damage: Failure | undefined;
  /** The first guard that makes the workspace read-only. */
  readonly #readonly: Guard | undefined;
  readonly #allowed: readonly { readonly guard: Guard; readonly permissions: ReadonlySet<Permission> }[];
  readonly #maxWrites: Maximum | undefined;
  readonly #maxRequests: Maximum | undefined;
  #requests = 0;
  #writes = 0;
  /** The writes that are counted, so that a retry is not counted again. */
  readonly #counted = new WeakSet<WireRequest>();

  constructor({ guards, damage }: Awaited<ReturnType<typeof readGuards>>) {
    this.#guards = guards;
    this.#damage = damage;
    this.#readonly = guards.find(({ name }) => name === 'readonly');
    this.#allowed = guards
      .filter(({ name }) => name === 'allow')
      .map((guard) => ({ guard, permissions: parsePermissions(guard.text) }));
    this.#maxWrites = findMaximum(guards, 'max-writes');
    this.#maxRequests = findMaximum(guards, 'max-requests');
  }

  list(): readonly EffectiveGuard[] {
    return guardNames.flatMap((name) => {
      const guards = this.#guards.filter((guard) => guard.name === name);
      if (guards.length === 0) return [];
      return { name, value: this.#formatValue(name), from: guards.map(({ from }) => from).join(', ') };
    });
  }

  #formatValue(name: GuardName): string {
    if (name === 'readonly') return 'true';
    if (name === 'max-writes') return String(this.#maxWrites?.count);
    if (name === 'max-requests') return String(this.#maxRequests?.count);
    const [first, ...others] = this.#allowed.map(({ permissions }) => permissions);
    const common = Array.from(first ?? []).filter((permission) =>
      others.every((allowed) => allowed.has(permission)),
    );
    return formatPermissions(new Set(common));
  }

  checkWrite({ isLocalWrite }: GuardedCommand, words: readonly string[] = ['This command']): void {
    const title = words.join(' ');
    if (this.#damage) throw this.#damage;
    if (this.#readonly) throw createBlockedFailure(title, this.#readonly);
    // A guard names writes to records. It allows no other writes.
    const [allowed] = this.#allowed;
    const none = this.#allowed.find(({ permissions }) => permissions.size === 0);
    const refusing = none ?? (isLocalWrite ? allowed : undefined);
    if (refusing) throw createBlockedFailure(title, refusing.guard);
    if (isLocalWrite && this.#maxWrites?.count === 0) throw createLimitFailure(this.#maxWrites, 'write');
  }

  async admit(request: WireRequest): Promise<Admission> {
    const isWrite = request.method !== 'GET';
    if (isWrite) await this.#checkPermission(request);
    const isCounted = isWrite && !this.#counted.has(request);
    if (isCounted && this.#maxWrites && this.#writes >= this.#maxWrites.count)
      throw createLimitFailure(this.#maxWrites, 'write');
    if (this.#maxRequests && this.#requests >= this.#maxRequests.count)
      throw createLimitFailure(this.#maxRequests, 'request');
    this.#requests += 1;
    if (!isWrite) return { done: noop };
    if (isCounted) this.#writes += 1;
    this.#counted.add(request);
    return { done: (status) => this.#release(request, status) };
  }

  /** A write that the service refused changed nothing, so it does not count. */
  #release(request: WireRequest, status: number): void {
    if (status >= 400 && status < 500 && this.#counted.delete(request)) this.#writes -= 1;
  }

  async #checkPermission(request: WireRequest): Promise<void> {
    if (this.#damage) throw this.#damage;
    if (!this.#readonly && this.#allowed.length === 0) return;
    const { findPermission } = await import('./find-permission.ts');
    const permission = findPermission(request);
    const title = permission ? formatPermission(permission) : `${request.method} ${request.path}`;
    if (this.#readonly) throw createBlockedFailure(title, this.#readonly);
    const refusing = this.#allowed.find(({ permissions }) => !permission || !permissions.has(permission));
    if (refusing) throw createBlockedFailure(title, refusing.guard);
  }
}

interface Maximum {
  readonly guard: Guard;
  readonly count: number;
}

/** Returns the guard with the smallest number. */
function findMaximum(guards: readonly Guard[], name: 'max-writes' | 'max-requests'): Maximum | undefined {
  const maxima = guards
    .filter((guard) => guard.name === name)
    .map((guard) => ({ guard, count: guardOptions[name].parse(guard.text) as number })); // an option parses to its type
  return maxima.sort((left, right) => left.count - right.count)[0];
}

const hint = 'Only the person who set this guard should change it.';

function createBlockedFailure(title: string, { name, text, label }: Guard): Failure {
  const reason =
    name === 'readonly' ? 'is set' : `allows ${text.trim() === 'none' ? 'no writes' : `only ${text}`}`;
  return new Failure('blocked', `${title} is not allowed: ${label} ${reason}.`, { hint });
}

function createLimitFailure({ guard, count }: Maximum, unit: 'write' | 'request'): Failure {
  const message = `Stopped: ${guard.label} allows at most ${formatCount(count, unit)}.`;
  return new Failure('limit_reached', `${message} Completed writes remain.`, { hint });
}
