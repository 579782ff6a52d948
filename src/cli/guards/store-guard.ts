import { Failure } from '../../contract/errors.ts';
import { requireProfile } from '../../settings/connection.ts';
import type { Profile } from '../../settings/settings.ts';
import { capitalize } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import type { GuardName } from '../command/guards.ts';
import { isInteractive, requireConsent } from '../command/interaction.ts';
import { openSettingsForChange } from '../connect/connection.ts';

/**
 * Stores a guard, for all profiles or for the profile of --profile; undefined removes it. A script cannot change an
 * existing guard.
 * @throws {Failure} blocked if nobody can be asked, cancelled if the answer is no
 */
export async function storeGuard(
  session: Session,
  name: GuardName,
  value: string | undefined,
): Promise<void> {
  const { profile } = session.globals;
  const settings = await openSettingsForChange(session);
  const stored = settings.read();
  const before = (
    profile === undefined ? stored.defaults : requireProfile(stored.profiles, profile).guards
  )?.[name];
  const place = profile === undefined ? settings.path : `profile ${profile} of ${settings.path}`;
  if (before !== undefined && before !== value)
    await requirePerson(
      session,
      `change the guard ${name} in ${place} from ${before} to ${value ?? 'nothing'}`,
    );
  await settings.change((stored) => {
    if (profile === undefined) {
      stored.defaults = replaceGuard(stored.defaults, name, value);
      return;
    }
    const { guards, ...connection } = requireProfile(stored.profiles, profile);
    stored.profiles[profile] = { ...connection, guards: replaceGuard(guards, name, value) };
  });
}

function replaceGuard(
  guards: Readonly<Record<string, string>> = {},
  name: GuardName,
  value: string | undefined,
): Record<string, string> {
  const { [name]: _, ...others } = guards;
  return value === undefined ? others : { ...others, [name]: value };
}

/**
 * Asks before a profile with guards is removed.
 * @throws {Failure} blocked if nobody can be asked, cancelled if the answer is no
 */
export async function confirmProfileRemoval(
  session: Session,
  name: string,
  guards: NonNullable<Profile['guards']>,
): Promise<void> {
  const list = Object.entries(guards).map(([guard, value]) => `${guard} ${value}`);
  if (list.length > 0)
    await requirePerson(session, `remove the profile ${name} with its guards (${list.join(', ')})`);
}

/** Asks also with --yes, because a guard protects from what a script or an agent does. */
async function requirePerson(session: Session, change: string): Promise<void> {
  if (isInteractive(session)) return requireConsent(session, `${capitalize(change)}?`);
  throw new Failure('blocked', `Cannot ${change} without a terminal.`, {
    hint: 'Only a person in a terminal can change an existing guard.',
  });
}
