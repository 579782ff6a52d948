import { prefixError } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { defineCommand, toRecordsResult, toTextResult } from '../command.ts';
import { openSettingsForChange } from '../connect/connection.ts';
import { describeSetting, storedSettings } from '../flags/settings.ts';

const names = Object.keys(storedSettings);
const nameArgument = { summary: 'Name:', choices: names } as const;

export const config = [
  defineCommand({
    name: 'list',
    summary: 'Show flag defaults, your overrides and your email address',
    isLocal: true,
    examples: ['config list'],
    async run({ settings }) {
      const { defaults = {} } = (await settings()).read();
      const rows = names.map((name) => buildRow(name, defaults));
      return toRecordsResult(rows, views.config);
    },
  }),
  defineCommand({
    name: 'get',
    summary: 'Print the effective default of a flag, or your email address',
    output: 'text',
    isLocal: true,
    args: { name: nameArgument },
    examples: ['config get page-size'],
    async run({ settings }, { name }) {
      const { defaults = {} } = (await settings()).read();
      const row = buildRow(name, defaults);
      return toTextResult(`${row.value ?? row.default ?? ''}\n`, row);
    },
  }),
  defineCommand({
    name: 'set',
    summary: 'Set the default of a flag, or your email address',
    description:
      'Set the default of a flag, or your email address (`user`). Other commands accept `me` for it, as in --assignee me.',
    output: 'text',
    isLocal: true,
    args: { name: nameArgument, value: 'New value' },
    examples: [
      'config set page-size 200',
      'config set timeout 60',
      'config set format json',
      'config set user mina@tidewater.example',
    ],
    async run(session, { name, value }) {
      try {
        storedSettings[name]?.parse(value);
      } catch (error) {
        throw prefixError(name, error);
      }
      await (await openSettingsForChange(session)).change((stored) => {
        stored.defaults = { ...stored.defaults, [name]: value };
      });
      return toTextResult(`${describeSetting(name)} set to ${value}.\n`, { name, value });
    },
  }),
  defineCommand({
    name: 'unset',
    summary: 'Reset a flag to its built-in default, or remove your email address',
    output: 'text',
    isLocal: true,
    args: { name: nameArgument },
    examples: ['config unset page-size'],
    async run(session, { name }) {
      await (await openSettingsForChange(session)).change((stored) => {
        const { [name]: _, ...rest } = stored.defaults ?? {};
        stored.defaults = rest;
      });
      const { default: builtIn } = buildRow(name, {});
      const change = builtIn === null ? 'removed' : `reset to ${builtIn}`;
      return toTextResult(`${describeSetting(name)} ${change}.\n`, { name, value: null });
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
  const builtIn = storedSettings[name]?.defaultValue;
  return { name, value: defaults[name] ?? null, default: builtIn === undefined ? null : String(builtIn) };
}
