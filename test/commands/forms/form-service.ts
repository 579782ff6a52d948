import { startSmallService } from '../../cli/references/small-service.ts';
import { createMachine, type MachineOptions } from '../../support/kith.ts';

/** The answer that leaves a field empty. */
export const skip = '';

/** Starts a service with few records, and a machine whose `fill` answers the questions of a form. */
export async function startFormService() {
  const service = await startSmallService();
  const kith = createMachine();
  const env = { ...service.env, NO_COLOR: '1' };
  return {
    ...service,
    kith,
    env,
    fill: (line: string, answers: MachineOptions['answers'] = []) =>
      kith(line, { terminal: 200, env, answers }),
  };
}
