import { entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { processChart } from '../../render/chart.ts';
import { fieldsOf } from '../../render/fields.ts';
import { processReport } from '../../render/status-report.ts';
import { views } from '../../render/views.ts';
import { command, ownRecords } from '../command.ts';
import { listArgument as list, onList } from '../connect/resolve.ts';
import { allOf } from '../listing.ts';

export const listsReport = command({
  name: 'report',
  summary: 'Show a process by status: entries, values, and their share',
  description:
    'Show a process by status: how many entries each status has, their share, and what they are worth. ' +
    'Recurring values are summed by their period. In a terminal it is a bar chart.',
  args: { list },
  examples: ['lists report "Sales pipeline"', 'lists report "Sales pipeline" --json'],
  async run(session, { list }) {
    const client = await session.client();
    const process = fieldsOf(await onList(session, list, (list_id) => client.lists.get({ list_id })));
    if (process.process !== true) {
      throw new Failure('usage', `"${process.name}" is a list: only a process has statuses to report.`);
    }
    const all = allOf(client, entries.list, { list_id: String(process.id) });
    const rows = await processReport(process.statuses, all);
    return {
      ...ownRecords(rows, views.report),
      drawn: (shown, drawing) => processChart(process, shown, drawing),
    };
  },
});
