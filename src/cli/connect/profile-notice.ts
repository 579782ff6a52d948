import { sanitizeLine } from '../../render/text/sanitize.ts';
import { hasWorkspaceVariable } from '../../settings/connection.ts';
import { once } from '../../values/concurrency.ts';
import type { Session } from '../command/context.ts';
import type { Globals } from '../flags/globals.ts';
import { type Configuration, openEffectiveSettings } from './connection.ts';

/** Names the profile of a project file before a command writes: in its question, or on stderr. */
export type ProfileNotice = ReturnType<typeof createProfileNotice>;

/** `isLocal`: whether the command uses a profile only if its own flags name no workspace. */
export function createProfileNotice(
  configuration: Configuration,
  { profile }: Pick<Globals, 'profile'>,
  warn: Session['warn'],
  isLocal: boolean,
) {
  let isNamed = false;
  const findChosen = once(async () => {
    if (profile || hasWorkspaceVariable(configuration.env)) return undefined;
    const { project } = (await openEffectiveSettings(configuration)).read();
    if (project?.profile === undefined) return undefined;
    return { name: sanitizeLine(project.profile), file: project.path };
  });
  /** Returns the notice; undefined if no project file has chosen the profile. */
  const describe = async (): Promise<string | undefined> => {
    const chosenProfile = await findChosen();
    return chosenProfile && `Writing to profile ${chosenProfile.name}, selected by ${chosenProfile.file}.`;
  };
  return {
    describe,
    /** Returns the start of a question before a write; empty if no project file has chosen the profile. */
    startQuestion: async (): Promise<string> => {
      if (isLocal && !isNamed) return '';
      const chosenProfile = await findChosen();
      isNamed = true;
      return chosenProfile ? `Profile ${chosenProfile.name}: ` : '';
    },
    /** Writes the notice on stderr, also with --quiet, unless a question has named the profile. */
    beforeWrite: once(async (): Promise<void> => {
      if (isNamed) return;
      const notice = await describe();
      isNamed = true;
      if (notice !== undefined) await warn(notice);
    }),
  };
}
