import { createMachine, type MachineOptions } from '../../support/kith.ts';
import { startSmallService } from '../references/small-service.ts';

/** The answer that leaves a field empty. */
export const skip = '';

/** A service with few records, and a person at a terminal who types answers. */
export async function startDesk() {
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
