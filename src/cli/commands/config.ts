import { prefixError } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { defineCommand, toRecordsResult, toTextResult } from '../command.ts';
import { openSettingsForChange } from '../connect/connection.ts';
import { preferences } from '../flags/preferences.ts';

const flagNames = Object.keys(preferences);
const flagArgument = { summary: 'Flag name:', choices: flagNames } as const;

export const config = [
  defineCommand({
    name: 'list',
    summary: 'Show flag defaults and your overrides',
    isLocal: true,
    examples: ['config list'],
    async run({ settings }) {
      const { defaults = {} } = (await settings()).read();
      const rows = flagNames.map((name) => buildRow(name, defaults));
      return toRecordsResult(rows, views.config);
    },
  }),
  defineCommand({
    name: 'get',
    summary: 'Print the effective default of a flag',
    output: 'text',
    isLocal: true,
    args: { name: flagArgument },
    examples: ['config get page-size'],
    async run({ settings }, { name }) {
      const { defaults = {} } = (await settings()).read();
      const row = buildRow(name, defaults);
      return toTextResult(`${row.value ?? row.default}\n`, row);
    },
  }),
  defineCommand({
    name: 'set',
    summary: 'Set the default of a flag',
    output: 'text',
    isLocal: true,
    args: { name: flagArgument, value: 'Default value' },
    examples: ['config set page-size 200', 'config set timeout 60'],
    async run(session, { name, value }) {
      try {
        preferences[name]?.parse(value);
      } catch (error) {
        throw prefixError(name, error);
      }
      await (await openSettingsForChange(session)).change((stored) => {
        stored.defaults = { ...stored.defaults, [name]: value };
      });
      return toTextResult(`Default --${name} set to ${value}.\n`, { name, value });
    },
  }),
  defineCommand({
    name: 'unset',
    summary: 'Reset a flag to its built-in default',
    output: 'text',
    isLocal: true,
    args: { name: flagArgument },
    examples: ['config unset page-size'],
    async run(session, { name }) {
      await (await openSettingsForChange(session)).change((stored) => {
        const { [name]: _, ...rest } = stored.defaults ?? {};
        stored.defaults = rest;
      });
      const text = `Default --${name} reset to ${preferences[name]?.defaultValue}.\n`;
      return toTextResult(text, { name, value: null });
    },
  }),
  defineCommand({
    name: 'path',
    summary: 'Print the path of the settings file',
    output: 'text',
    isLocal: true,
    examples: ['config path'],
    async run({ settings }) {
      const { path } = await settings();
      return toTextResult(`${path}\n`, { path });
    },
  }),
];

function buildRow(name: string, defaults: Readonly<Record<string, string>>) {
  return { name, value: defaults[name] ?? null, default: String(preferences[name]?.defaultValue) };
}
