import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { command, ownRecords, said } from '../command.ts';
import { settingsToChange } from '../connect/settings-change.ts';
import { preferences } from '../flags/preferences.ts';

const flagNames = Object.keys(preferences);
const flagArgument = { summary: 'Flag name:', choices: flagNames } as const;

export const config = [
  command({
    name: 'list',
    summary: 'Show flag defaults and your overrides',
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
    summary: 'Print the effective default of a flag',
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
    args: { name: flagArgument, value: 'Default value' },
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
      return said(`Default --${name} set to ${value}.\n`, { name, value });
    },
  }),
  command({
    name: 'unset',
    summary: 'Reset a flag to its built-in default',
    answers: 'text',
    local: true,
    args: { name: flagArgument },
    examples: ['config unset page-size'],
    async run(session, { name }) {
      await (await settingsToChange(session)).change((stored) => {
        const { [name]: _, ...rest } = stored.defaults ?? {};
        stored.defaults = rest;
      });
      return said(`Default --${name} reset to ${preferences[name]?.fallback}.\n`, { name, value: null });
    },
  }),
  command({
    name: 'path',
    summary: 'Print the path of the settings file',
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
