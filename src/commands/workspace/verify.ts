import { resolve } from 'node:path';
import { toRecordFile } from '../../archive/archive-nouns.ts';
import { defineCommand, toMessageResult, toTextResult } from '../../cli/command/command.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { Failure } from '../../contract/errors.ts';
import { orderedNouns } from '../../contract/singular-nouns.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { formatCount } from '../../values/text.ts';
import { formatNoun, formatNounCount, withArchive, withTypedNoun } from './place.ts';

export const verify = defineCommand({
  name: 'verify',
  exitCodes: [3],
  effects: 'local',
  summary: 'Check an archive for damage and missing records',
  description:
    'Check an archive, one of its older states, or a .tar.gz file, without a connection. Checks the size, ' +
    'SHA-256 sum and number of records of each file, that records refer only to records in the archive, and that ' +
    'the backup could read all of them. Exits with 1 if there are problems, and prints the first 20.',
  output: { text: ['archive-check'] },
  isFileBased: true,
  args: { archive: { summary: 'Archive folder or .tar.gz file', completion: 'files' } },
  examples: ['workspace verify kith-backup', 'workspace verify kith.tar.gz --json'],
  async run(session, { archive: path }) {
    const { verifyArchive } = await import('../../archive/verify.ts');
    return withArchive(session, { archive: resolve(path) }, async (archive) => {
      const problems = await withProgress(session, (update) =>
        verifyArchive(archive, {
          signal: session.signal,
          onProgress: (noun, done, total) =>
            update({ verb: `Checking ${formatNoun(noun)}`, done, total, unit: 'record' }),
        }),
      );
      const { files, unread, completed_at, workspace } = archive.manifest;
      const counts = orderedNouns.map((noun) => formatNounCount(noun, files[noun].records)).join(', ');
      const records = Object.fromEntries(orderedNouns.map((noun) => [noun, files[noun].records]));
      const lines = problems
        .slice(0, maxProblems)
        .map(({ noun, id, problem }) =>
          sanitizeLine(`${toRecordFile(noun)}${id === undefined ? '' : `, ${id}`}: ${problem}`),
        );
      const rest = problems.length - lines.length;
      const text =
        problems.length === 0
          ? `${path}: ${counts}. No problems.\n`
          : [...lines, ...(rest > 0 ? [`and ${formatCount(rest, 'more problem')}`] : []), ''].join('\n');
      const json = {
        archive: resolve(path),
        workspace,
        completed_at,
        records,
        unread,
        problems: problems.map(withTypedNoun),
      };
      if (problems.length === 0) return toMessageResult(session, text, json);
      const failure = new Failure('failed', `${path} has ${formatCount(problems.length, 'problem')}.`);
      return { ...toTextResult(text, json), failure };
    });
  },
});

/** Maximum number of problems that are printed. */
const maxProblems = 20;
