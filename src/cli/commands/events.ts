import { calendarEvents as routes } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import { views } from '../../output/views.ts';
import { command, said } from '../command.ts';
import { listed, shown } from '../listing.ts';
import { type Moment, moment, zoneOption } from '../moment.ts';
import { required, text } from '../options.ts';
import { progressOn } from '../progress.ts';

export const events = [
  command({
    name: 'list',
    summary: routes.list.summary,
    paged: true,
    options: {
      updatedAfter: moment('Only meetings updated after this time'),
      startsAfter: moment('Only meetings that start at or after this time'),
      startsBefore: moment('Only meetings that start before this time'),
      contact: text('Only meetings with this contact as an attendee', 'ID'),
      organization: text('Only meetings with an attendee from this organization', 'ID'),
      tz: zoneOption,
    },
    examples: [
      'events list --limit 5',
      'events list --starts-after 2026-10-01 --starts-before 2026-11-01 --tz Asia/Seoul',
      'events list --updated-after 7d --json --jq length',
    ],
    run: (session, { updatedAfter, startsAfter, startsBefore, contact, organization, tz }) => {
      const at = (moment: Moment | undefined) => moment?.({ now: session.now(), zone: tz });
      const filters = {
        updated_after: at(updatedAfter),
        starts_after: at(startsAfter),
        starts_before: at(startsBefore),
        contact_id: contact,
        organization_id: organization,
      };
      return listed(session, routes.list, filters, views.events);
    },
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id: 'The id of a meeting' },
    examples: ['events get MEETING', 'events get MEETING --jq ".recordings[].id"'],
    run: (session, { id }) => shown(session, routes.get, { id }, views.events),
  }),
  command({
    name: 'export',
    summary: 'Write the summary of every meeting into a folder, a Markdown file each',
    description:
      'Write the summary of every meeting into a folder, a Markdown file each, with the facts of the meeting ' +
      'as YAML front matter. Run again, it writes what is new or has changed and leaves the rest alone. Ends ' +
      'with exit code 6 when some meetings failed.',
    options: {
      out: required(text('The folder; it is made where it is not there', 'DIR', { completes: 'folders' })),
    },
    answers: 'text',
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
          ...said(session.globals.quiet ? '' : line, exported),
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
