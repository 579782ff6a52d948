import { expect } from 'vitest';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';

/** The folder in which the commands of a machine are typed. */
export const workFolder = '/home/ada/work';

/** Previews the installation of a schedule. `line`: its flags and its job. */
export const planSchedule = (line: string, more: object = {}, machine = createMachine()) =>
  machine(`schedule install nightly --dry-run --for systemd ${line}`, {
    env: { KITH_CONFIG_DIR: '/etc/kith', HOME: createTemporaryFolder(), ...more },
  });

/** Returns the schedule that an installation would store. */
export async function planStoredSchedule(line: string, more: object = {}, machine = createMachine()) {
  const { code, out } = await planSchedule(`--json ${line}`, more, machine);
  expect(code).toBe(0);
  return JSON.parse(JSON.parse(out).steps[0].text);
}
