import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, so that no worker is left alone with it in the end. */
const first = [
  'survives/settings',
  'readme',
  'process/import-memory',
  'survives/answers',
  'bin',
  'service/socket',
  'survives/locked-workspace',
  'meetings/export-killed',
  'meetings/export-cron',
  'service/durability',
  'survives/waiting',
  'sync/killed',
  'survives/pipes',
  'survives/signals',
  'completions/zsh',
  'survives/random-signals',
  'cli/schedule-test',
  'cli/examples',
];

/** The order in which the files of the tests are started. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = first.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at < 0 ? first.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
