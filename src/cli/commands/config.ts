import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { command, ownRecords, said } from '../command.ts';
import { settingsToChange } from '../connect/settings-change.ts';
import { preferences } from '../flags/preferences.ts';

const flagNames = Object.keys(preferences);
const flagArgument = { summary: 'A flag that has a default:', choices: flagNames } as const;

export const config = [
  command({
    name: 'list',
    summary: 'List the flags that have a default, and yours',
    local: true,
    examples: ['config list'],
    async run({ settings }) {
      const { defaults = {} } = (await settings()).read();
      return ownRecords(
        flagNames.map((name) => buildRow(name, defaults)),
        views.config,
      );
    },
  }),
  command({
    name: 'get',
    summary: 'Print the value that holds where a flag is not given',
    answers: 'text',
    local: true,
    args: { name: flagArgument },
    examples: ['config get page-size'],
    async run({ settings }, { name }) {
      const { defaults = {} } = (await settings()).read();
      const row = buildRow(name, defaults);
      return said(`${row.value ?? row.default}\n`, row);
    },
  }),
  command({
    name: 'set',
    summary: 'Set the default of a flag',
    answers: 'text',
    local: true,
    args: { name: flagArgument, value: 'The value that holds where the flag is not given' },
    examples: ['config set page-size 200', 'config set timeout 60'],
    async run(session, { name, value }) {
      try {
        preferences[name]?.read(value);
      } catch (error) {
        if (error instanceof Failure)
          throw new Failure(error.code, `${name}: ${error.message}`, error.detail);
        throw error;
      }
      await (await settingsToChange(session)).change((stored) => {
        stored.defaults = { ...stored.defaults, [name]: value };
      });
      return said(`--${name} is ${value} from now on.\n`, { name, value });
    },
  }),
  command({
    name: 'unset',
    summary: 'Forget your default of a flag',
    answers: 'text',
    local: true,
    args: { name: flagArgument },
    examples: ['config unset page-size'],
    async run(session, { name }) {
      await (await settingsToChange(session)).change((stored) => {
        const { [name]: _, ...rest } = stored.defaults ?? {};
        stored.defaults = rest;
      });
      return said(`--${name} is ${preferences[name]?.fallback} again.\n`, { name, value: null });
    },
  }),
  command({
    name: 'path',
    summary: 'Print where the settings are',
    answers: 'text',
    local: true,
    examples: ['config path'],
    async run({ settings }) {
      const { path } = await settings();
      return said(`${path}\n`, { path });
    },
  }),
];

function buildRow(name: string, defaults: Readonly<Record<string, string>>) {
  return { name, value: defaults[name] ?? null, default: String(preferences[name]?.fallback) };
}
