import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { formatCount } from '../../values/text.ts';
import { defineCommand, toRecordsResult } from '../command.ts';
import { runChecks } from '../doctor/checks.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check the installation, settings, key and service',
  description:
    'Check the installation, settings, key, service, clock, proxy and terminal. Prints the result of ' +
    'each check with advice on how to fix it. Exits with code 0 only if every check passes.',
  examples: ['doctor', 'doctor --json'],
  async run(session) {
    const findings = await runChecks(session);
    const failed = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check);
    const count = formatCount(failed.length, 'check');
    const failure =
      failed.length === 0 ? undefined : new Failure('failed', `${count} failed: ${failed.join(', ')}.`);
    return { ...toRecordsResult(findings, views.findings), failure };
  },
});
