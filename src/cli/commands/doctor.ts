import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { command, ownRecords } from '../command.ts';
import { runChecks } from '../doctor/checks.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Look at all that commands need: Node, settings, key, service, clock, proxy, terminal',
  description:
    'Look at all that commands need, and say of each thing whether it is ok and what to do about it. ' +
    'Ends with 0 only when nothing is wrong.',
  examples: ['doctor', 'doctor --json'],
  async run(session) {
    const findings = await runChecks(session);
    const wrong = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check);
    const failure =
      wrong.length === 0 ? undefined : new Failure('failed', `Not as it should be: ${wrong.join(', ')}.`);
    return { ...ownRecords(findings, views.findings), failure };
  },
});
