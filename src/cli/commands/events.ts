import { calendarEvents as routes } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import { views } from '../../output/views.ts';
import { command } from '../command.ts';
import { textFormats } from '../formats.ts';
import { listed } from '../listing.ts';
import { moment, required, text } from '../options.ts';
import { progressOn } from '../progress.ts';

export const events = [
  command({
    name: 'list',
    summary: routes.list.summary,
    options: {
      updatedAfter: moment('Only meetings updated after this time'),
      startsAfter: moment('Only meetings that start at or after this time'),
      startsBefore: moment('Only meetings that start before this time'),
      contact: text('Only meetings with this contact as an attendee', 'ID'),
      organization: text('Only meetings with an attendee from this organization', 'ID'),
    },
    examples: ['events list', 'events list --starts-after 2026-10-01 --json | jq length'],
    run: (session, { updatedAfter, startsAfter, startsBefore, contact, organization }) =>
      listed(
        session,
        routes.list,
        {
          updated_after: updatedAfter,
          starts_after: startsAfter,
          starts_before: startsBefore,
          contact_id: contact,
          organization_id: organization,
        },
        views.events,
      ),
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id: 'The id of a meeting' },
    examples: ['events get MEETING', 'events get MEETING --json | jq -r ".recordings[].id"'],
    async run({ client }, { id }) {
      const record = await (await client()).calendarEvents.get({ id });
      return { kind: 'record', record, view: views.events };
    },
  }),
  command({
    name: 'export',
    summary: 'Write the summary of every meeting into a folder, a Markdown file each',
    description:
      'Write the summary of every meeting into a folder, a Markdown file each, with the facts of the meeting ' +
      'as YAML front matter. Run again, it writes what is new or has changed and leaves the rest alone. Ends ' +
      'with exit code 6 when some meetings failed.',
    options: { out: required(text('The folder; it is made where it is not there', 'DIR')) },
    formats: textFormats,
    examples: ['events export --out meetings', 'events export --out meetings --json'],
    async run(session, { out }) {
      const { exportMeetings } = await import('../../meetings/export.ts');
      const progress = progressOn(session);
      try {
        const exported = await exportMeetings({
          client: await session.client(),
          folder: out,
          concurrency: 4,
          onProgress: (done, total) =>
            progress.say(`Exporting ${done}${total ? ` of ${total}` : ''} meetings`),
        });
        const { new: added, updated, unchanged, pending, failed } = exported;
        const line = `${out}: ${added} new, ${updated} updated, ${unchanged} unchanged, ${pending} pending, ${failed.length} failed\n`;
        return {
          kind: 'text',
          text: session.globals.quiet ? '' : line,
          json: exported,
          failure: failed.length > 0 ? notAll(failed) : undefined,
        };
      } finally {
        progress.end();
      }
    },
  }),
];

function notAll(
  failed: readonly { readonly id: string; readonly title: string; readonly reason: string }[],
): Failure {
  const named = failed.map(({ id, title, reason }) => `${id} "${title}" (${reason})`);
  return new Failure('partial', `Not exported: ${named.join('; ')}`, {
    hint: 'Run it again; the rest is safe.',
  });
}
