import { Failure } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import {
  formatPermission,
  formatPermissions,
  type Permission,
  parsePermissions,
} from '../../contract/permissions.ts';
import type { LockHolder } from '../../files/lock.ts';
import type { Environment } from '../../settings/paths.ts';
import { once } from '../../values/concurrency.ts';
import { formatCount } from '../../values/text.ts';
import type { Admission, EffectiveGuard, Guards, Runtime } from '../command/context.ts';
import { type CommandEffects, isWrite, writesDirectly } from '../command/effects.ts';
import { type GuardName, guardFileVariable, guardHint, guardNames, guardOptions } from '../command/guards.ts';
import type { Configuration } from '../connect/connection.ts';
import type { CountStore, Counts } from './count-file.ts';
import { type Guard, readGuards, type StoredGuards } from './read-guards.ts';

export function createGuards(
  configuration: Configuration,
  { lockHolder, signal }: Pick<Runtime, 'lockHolder' | 'signal'>,
): Guards {
  const counts = once(() => openCounts(configuration.runtime.env, { ...lockHolder, signal }));
  const load = once(async () => new LoadedGuards(await readGuards(configuration), await counts()));
  return {
    list: async () => (await load()).list(),
    checkCommand: async (command, input, words) => {
      // The guards of a command that sends nothing are not read: it must run even if they are invalid.
      if (isWrite(command, input)) (await load()).checkWrite(command, words);
    },
    admit: async (request) => (await load()).admit(request),
  };
}

async function openCounts(env: Environment, holder: LockHolder): Promise<CountStore> {
  const { [guardFileVariable]: path } = env;
  if (path !== undefined) return (await import('./count-file.ts')).openCountFile(path, holder);
  let counts: Counts = { write: 0, request: 0 };
  return async (change) => {
    counts = change(counts);
  };
}

const noop = async () => {};

class LoadedGuards {
  readonly #guards: readonly Guard[];
  readonly #damage: Failure | undefined;
  /** The first guard that makes the workspace read-only. */
  readonly #readonly: Guard | undefined;
  readonly #allowed: readonly { readonly guard: Guard; readonly permissions: ReadonlySet<Permission> }[];
  readonly #maxWrites: Maximum | undefined;
  readonly #maxRequests: Maximum | undefined;
  readonly #count: CountStore;
  /** The writes that are counted, so that a retry is not counted again. */
  readonly #counted = new WeakSet<WireRequest>();

  constructor({ guards, damage }: StoredGuards, count: CountStore) {
    this.#count = count;
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

  checkWrite(command: CommandEffects, words: readonly string[] = ['This command']): void {
    const title = words.join(' ');
    const isDirect = writesDirectly(command);
    if (this.#damage) throw this.#damage;
    if (this.#readonly) throw createBlockedFailure(title, this.#readonly);
    // A guard names writes to records. It allows no other writes.
    const [allowed] = this.#allowed;
    const none = this.#allowed.find(({ permissions }) => permissions.size === 0);
    const refusing = none ?? (isDirect ? allowed : undefined);
    if (refusing) throw createBlockedFailure(title, refusing.guard);
    if (isDirect && this.#maxWrites?.count === 0) throw createLimitFailure(this.#maxWrites, 'write');
  }

  async admit(request: WireRequest): Promise<Admission> {
    const isWrite = request.method !== 'GET';
    if (isWrite) await this.#checkPermission(request);
    const maxWrites = isWrite && !this.#counted.has(request) ? this.#maxWrites : undefined;
    const maxRequests = this.#maxRequests;
    if (maxWrites || maxRequests)
      await this.#count((counts) => ({
        write: increase(counts, 'write', maxWrites),
        request: increase(counts, 'request', maxRequests),
      }));
    if (!isWrite || !this.#maxWrites) return { done: noop };
    this.#counted.add(request);
    return { done: (status) => this.#release(request, status) };
  }

  /** A write that the service refused changed nothing, so it does not count. */
  async #release(request: WireRequest, status: number): Promise<void> {
    if (status >= 400 && status < 500 && this.#counted.delete(request))
      await this.#count(({ write, request }) => ({ write: write - 1, request }));
  }

  async #checkPermission(request: WireRequest): Promise<void> {
    if (this.#damage) throw this.#damage;
    if (!this.#readonly && this.#allowed.length === 0) return;
    const { findPermissions } = await import('../../writes/nouns.ts');
    for (const permission of findPermissions(request)) {
      const title = permission ? formatPermission(permission) : `${request.method} ${request.path}`;
      if (this.#readonly) throw createBlockedFailure(title, this.#readonly);
      const refusing = this.#allowed.find(({ permissions }) => !permission || !permissions.has(permission));
      if (refusing) throw createBlockedFailure(title, refusing.guard);
    }
  }
}

interface Maximum {
  readonly guard: Guard;
  readonly count: number;
}

/** Returns the incremented count if it has a maximum, or else the same count. @throws {Failure} limit_reached */
function increase(counts: Counts, unit: keyof Counts, maximum: Maximum | undefined): number {
  if (!maximum) return counts[unit];
  if (counts[unit] >= maximum.count) throw createLimitFailure(maximum, unit);
  return counts[unit] + 1;
}

/** Returns the guard with the smallest number. */
function findMaximum(guards: readonly Guard[], name: 'max-writes' | 'max-requests'): Maximum | undefined {
  const maxima = guards
    .filter((guard) => guard.name === name)
    .map((guard) => ({ guard, count: guardOptions[name].parse(guard.text) as number })); // an option parses to its type
  return maxima.sort((left, right) => left.count - right.count)[0];
}

function createBlockedFailure(title: string, { name, text, label }: Guard): Failure {
  const reason =
    name === 'readonly' ? 'is set' : `allows ${text.trim() === 'none' ? 'no writes' : `only ${text}`}`;
  return new Failure('blocked', `${title} is not allowed: ${label} ${reason}.`, { hint: guardHint });
}

function createLimitFailure({ guard, count }: Maximum, unit: keyof Counts): Failure {
  const message = `Stopped: ${guard.label} allows at most ${formatCount(count, unit)}.`;
  return new Failure('limit_reached', `${message} Completed writes remain.`, { hint: guardHint });
}
