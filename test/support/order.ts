import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, so that no worker is left alone with it in the end. */
const slow = [
  'reliability/settings',
  'documents',
  'import/memory',
  'bin',
  'reliability/locked-workspace',
  'export/export-killed',
  'export/export-cron',
  'service/db/durability',
  'reliability/waiting',
  'import/killed',
  'reliability/pipes',
  'reliability/signals',
  'build/completions/zsh',
  'reliability/random-signals',
  'cli/jobs/schedule-test',
  'cli/examples',
  'service/http/socket',
  'reliability/answers',
  'service/fuzz',
];

/** Whether the tests of a file start processes. */
const startsProcesses = (text: string) =>
  /from '(\S*\/(binary|machine|programs|terminal)\.ts|node:child_process)'/.test(text);

/**
 * The order in which the files of the tests are started. Those that start processes come first: a start costs 1 ms in a
 * worker that holds 50 MB and 11 ms in one that holds 400, and what other files leave in it is never given back.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = slow.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      const later = startsProcesses(readFileSync(moduleId, 'utf8')) ? 0 : 2 * slow.length;
      return later + (at < 0 ? slow.length : at);
    };
    const places = new Map(files.map((file) => [file, place(file)]));
    const placeOf = (file: TestSpecification) => places.get(file) ?? 0;
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}
