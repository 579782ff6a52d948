import { type CommandResult, defineCommand, toMessageResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createFlag } from '../../cli/command/options.ts';
import { conflicts } from '../../cli/command/rules.ts';
import { maxAgeOption, moment } from '../../cli/flags/moment.ts';
import { createSelectionOptions, wantsFigures } from '../../cli/flags/selection.ts';
import { views } from '../../render/views.ts';
import type { ActionChange } from './change-items.ts';
import { ledgerOption } from './ledger-option.ts';

const { sum, ...selectionOptions } = createSelectionOptions(['organization'], {
  organization: 'Only items of meetings with an attendee from this organization',
});

const list = defineCommand({
  name: 'list',
  output: { records: ['actions[]', 'figures'] },
  summary: 'List the action items of all meetings, latest first',
  description:
    'List the action items in the summaries of all meetings, the latest meetings first. An item is open until ' +
    '`kith actions done`. Its person is the attendee whose name it begins with; --mine selects the items of ' +
    '`kith config set user`. An item that left its summary is listed once more, as removed.',
  paging: 'list',
  options: {
    open: createFlag('Only items that are not done'),
    done: createFlag('Only items that are done'),
    mine: createFlag('Only items that begin with your name'),
    since: moment('Only items of meetings that start at or after this time', 'latest'),
    ...selectionOptions,
    maxAge: maxAgeOption,
    ledger: ledgerOption,
  },
  rules: [conflicts('open', 'done')],
  examples: [
    'actions list --open --mine',
    'actions list --open --since "last week" --organization 한빛물류',
    "actions list --where 'text ~ offer' --format csv",
    'actions list --open --count',
  ],
  async run(session, { open, done, mine, since, maxAge, ledger, ...selection }) {
    const { tz } = selection;
    const zone = typeof tz === 'string' ? tz : undefined;
    const filters = {
      ledger,
      maxAge,
      isMine: mine,
      state: open ? ('open' as const) : done ? ('done' as const) : undefined,
      since: since?.({ now: session.runtime.now(), zone }),
    };
    const { readActionFigures, selectActionItems } = await import('./list-items.ts');
    if (wantsFigures(selection)) return readActionFigures(session, filters, selection);
    const batches = await selectActionItems(session, filters, selection);
    return {
      kind: 'records',
      view: views.actions,
      zone,
      batches,
      empty: `No ${open ? 'open ' : ''}action items match.`,
    };
  },
});

/** The common parts of the commands that change states. The ledger is not part of the workspace. */
const change = {
  effects: 'marks',
  unusedExitCodes: [7], // no response can be lost
  recording: 'own',
  output: { text: ['changed-action[]'] },
  args: { actions: { summary: 'Action item: id, or a part of its text', isRepeatable: true } },
  options: { ledger: ledgerOption },
} as const;

async function changeItems(
  session: Session,
  state: ActionChange['state'],
  { actions, ledger }: { readonly actions: readonly string[]; readonly ledger: string | undefined },
): Promise<CommandResult> {
  const { changeActionItems } = await import('./change-items.ts');
  const changes = await changeActionItems(session, state, actions, ledger);
  const lines = changes.map(
    ({ id, text, changed }) => `${describeChange(session, state, changed)} ${id}: ${text}`,
  );
  return toMessageResult(session, `${lines.join('\n')}\n`, changes);
}

function describeChange({ globals }: Session, state: ActionChange['state'], changed: boolean): string {
  if (!changed) return state === 'done' ? 'Already done' : 'Already open';
  if (globals.dryRun) return state === 'done' ? 'Would mark as done' : 'Would reopen';
  return state === 'done' ? 'Marked as done' : 'Reopened';
}

export const actions = [
  list,
  defineCommand({
    ...change,
    name: 'done',
    summary: 'Mark action items as done',
    description:
      'Mark action items as done. kith stores the state in a file on this machine, or in --ledger FILE; the service does ' +
      'not store states. The next `kith meetings export` ticks the checkboxes of the items. `kith actions reopen` reverts ' +
      'the change. A part of the text names an item if no other open item has it.',
    examples: ['actions done ACTION', 'actions done "referral terms"'],
    run: (session, input) => changeItems(session, 'done', input),
  }),
  defineCommand({
    ...change,
    name: 'reopen',
    summary: 'Mark action items as open again',
    examples: ['actions reopen ACTION'],
    run: (session, input) => changeItems(session, 'open', input),
  }),
];
