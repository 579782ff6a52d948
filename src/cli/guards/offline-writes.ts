import { once } from '../../values/concurrency.ts';
import type { Guards } from '../command/context.ts';
import { isWrite, needsWorkspace, writesDirectly } from '../command/effects.ts';
import { type Configuration, findConnection } from '../connect/connection.ts';
import { createOfflineFailure, isOffline } from '../connect/offline.ts';

/** Returns guards that also refuse every write to a hosted workspace with --offline. */
export function refuseOfflineWrites(guards: Guards, configuration: Configuration): Guards {
  const { globals, runtime } = configuration;
  const readsMirror = once(
    async () => isOffline(globals, runtime.env) && (await findConnection(configuration)).kind === 'hosted',
  );
  const refuse = (title: string) => {
    throw createOfflineFailure(`${title} is not possible offline: it writes to the service.`, globals);
  };
  return {
    ...guards,
    async checkCommand(command, input, words = ['This command']) {
      await guards.checkCommand(command, input, words);
      // A local write changes files of this machine. A copy may write to another workspace, which has guards of its own.
      const isOwnWrite = isWrite(command, input) && !writesDirectly(command) && needsWorkspace(command);
      if (isOwnWrite && (await readsMirror())) refuse(words.join(' '));
    },
    async admit(request) {
      if (request.method !== 'GET' && (await readsMirror())) refuse(`${request.method} ${request.path}`);
      return guards.admit(request);
    },
  };
}
