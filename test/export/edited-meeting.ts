import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMeeting, createRecording, readTexts, startHost } from './export-host.ts';

let minutes = 0;

/** Returns a meeting that was updated just now. */
const changeMeeting = (id: string, title: string, more = {}) => {
  minutes += 1;
  const updated_at = new Date(Date.parse('2026-11-20T10:00:00Z') + minutes * 60_000).toISOString();
  return createMeeting(id, title, 'done', { updated_at, ...more });
};

/** Exports a meeting to a folder, and returns functions that change it on the service and on disk. */
export async function exportOne(options = {}) {
  const host = await startHost([createMeeting('a', 'One')]);
  const toPath = (name: string) => join(host.folder, name);
  await host.run(options);
  return {
    ...host,
    run: (more = {}) => host.run({ ...options, ...more }),
    setSummary(summary: string, title = 'One', more = {}) {
      host.service.meetings = [changeMeeting('a', title, more)];
      host.service.responses.set('/v1/recordings/r-a', [
        200,
        createRecording('r-a', { summary: { summary } }),
      ]);
    },
    toPath,
    edit: (name: string) => appendFileSync(toPath(name), 'mine\n'),
    /** Reads the summary in each file and the text that a person added. */
    readTextLines: () =>
      Object.fromEntries(
        Object.entries(readTexts(host.folder)).map(([name, text]) => [
          name,
          text
            .replace(/^[\s\S]*## Summary\n\n/, '')
            .trim()
            .split('\n'),
        ]),
      ),
  };
}
