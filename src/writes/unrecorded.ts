import { writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { accessFile } from '../files/disk-errors.ts';
import { parseLine } from '../files/durable-file.ts';
import { readFileIfExists } from '../files/read-file.ts';
import { createLogFile, type LogFile, listLogs, listMarks, removeLogFile } from './log-files.ts';
import { matchWrite } from './nouns.ts';
import { isRefusal, type Recorder } from './recorder.ts';

/** A command whose writes are not recorded, and the time of its last run. */
const Mark = v.object({ command: v.string(), at: v.pipe(v.string(), v.isoTimestamp()) });
type Mark = Readonly<v.InferOutput<typeof Mark>>;

/** The mark of a command. Its name and its time are unknown if the file is damaged. */
export type UnrecordedCommand = LogFile & Partial<Mark>;

/** Returns the commands that left a mark after a recorded command, latest first. */
export const readMarks = (folder: string, after = 0): UnrecordedCommand[] =>
  listMarks(folder).flatMap((file) => {
    if (file.number < after) return [];
    const text = readText(file.path);
    if (text === undefined) return []; // another process has removed it
    return { ...file, ...parseLine(Mark, text) };
  });

const readText = (path: string) => accessFile('read', path, () => readFileIfExists(path))?.toString();

/**
 * Marks a command that is not recorded. Between two recorded commands, the runs of one command share a mark. Returns a
 * function that removes the mark, unless another run has used it.
 * @throws {Failure} failed if the file of the mark cannot be created
 */
export function leaveMark(folder: string, { command, at }: Mark): () => void {
  const text = `${JSON.stringify({ command, at })}\n`;
  const lastNumber = listLogs(folder)[0]?.number ?? 0;
  const earlier = readMarks(folder, lastNumber).find((mark) => mark.command === command);
  const file = earlier ?? createLogFile(folder, 'unrecorded');
  try {
    writeFileSync(file.path, text, { flag: 'r+' }); // all times have the same length
  } catch {
    // On a full disk, the mark stays empty.
  }
  return () => {
    if (!earlier && readText(file.path) === text) removeLogFile(file);
  };
}

/**
 * Returns what sends the writes of a command that is not recorded. `mark`: marks the command, and returns the function
 * that removes the mark, which is called if the service refuses all writes. `onDeletion` is called after each deletion.
 */
export function sendMarked(
  mark: () => () => void,
  onDeletion: () => Promise<void>,
): Pick<Recorder, 'intercept'> {
  let count = 0;
  let unmark = () => {};
  return {
    async intercept(request, send) {
      if (count === 0) unmark = mark();
      count += 1;
      try {
        const response = await send();
        if (matchWrite(request)?.action === 'delete') await onDeletion();
        return response;
      } catch (error) {
        if (isRefusal(error)) count -= 1;
        if (count === 0) unmark();
        throw error;
      }
    },
  };
}
