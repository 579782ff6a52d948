import { sanitizeLine } from '../../render/text/sanitize.ts';
import { hasWorkspaceVariable } from '../../settings/connection.ts';
import { once } from '../../values/concurrency.ts';
import type { Messages, ProfileNotice } from '../command/context.ts';
import { type Configuration, openEffectiveSettings } from './connection.ts';

/** `isLocal`: whether the command uses a profile only if its own flags name no workspace. */
export function createProfileNotice(
  configuration: Configuration,
  warn: Messages['warn'],
  isLocal: boolean,
): ProfileNotice {
  let isNamed = false;
  const findChosen = once(async () => {
    if (configuration.globals.profile || hasWorkspaceVariable(configuration.runtime.env)) return undefined;
    const { project } = (await openEffectiveSettings(configuration)).read();
    if (project?.profile === undefined) return undefined;
    return { name: sanitizeLine(project.profile), file: project.path };
  });
  const describe = async () => {
    const chosenProfile = await findChosen();
    return chosenProfile && `Writing to profile ${chosenProfile.name}, selected by ${chosenProfile.file}.`;
  };
  return {
    describe,
    readQuestionPrefix: async () => {
      if (isLocal && !isNamed) return '';
      const chosenProfile = await findChosen();
      isNamed = true;
      return chosenProfile ? `Profile ${chosenProfile.name}: ` : '';
    },
    beforeWrite: once(async () => {
      if (isNamed) return;
      const notice = await describe();
      isNamed = true;
      if (notice !== undefined) await warn(notice);
    }),
  };
}
