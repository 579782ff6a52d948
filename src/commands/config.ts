import { defineCommand, toMessageResult, toRecordsResult, toTextResult } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { isGuardName } from '../cli/command/guards.ts';
import { openEffectiveSettings, openSettingsForChange } from '../cli/connect/connection.ts';
import { describeSetting, findOwnSetting, storedSettings } from '../cli/connect/settings.ts';
import type { Result } from '../contract/documents/results.ts';
import { addErrorPrefix } from '../contract/errors.ts';
import { views } from '../render/views.ts';

const names = Object.keys(storedSettings);
const nameArgument = { summary: 'Name:', choices: names } as const;

export const config = [
  defineCommand({
    name: 'list',
    output: { records: ['setting[]'] },
    summary: 'Show flag defaults, your overrides and other settings',
    effects: 'local',
    examples: ['config list'],
    async run(session) {
      const readRow = await createRowReader(session);
      const rows = names.map(readRow);
      return toRecordsResult(rows, views.config);
    },
  }),
  defineCommand({
    name: 'get',
    summary: 'Print the effective default of a flag, or another setting',
    output: { text: ['setting'] },
    effects: 'local',
    args: { name: nameArgument },
    examples: ['config get page-size'],
    async run(session, { name }) {
      const row = (await createRowReader(session))(name);
      return toTextResult(`${row.value ?? row.default ?? ''}\n`, row);
    },
  }),
  defineCommand({
    name: 'set',
    exitCodes: [4, 8, 75],
    summary: 'Set the default of a flag, or another setting',
    description:
      'Set the default of a flag, your email address (`user`), or the currency of reports (`currency`). Other commands ' +
      'accept `me` for your address, as in --assignee me. Guards apply to all profiles, or with --profile to one. In a ' +
      'terminal, kith asks before it changes an existing guard; a script cannot change it.',
    output: { text: ['changed-setting'] },
    effects: 'local',
    args: { name: nameArgument, value: { summary: 'New value' } },
    examples: [
      'config set page-size 200',
      'config set timeout 60',
      'config set format json',
      'config set user mina@tidewater.example',
      'config set currency EUR',
      'config set readonly true --profile demo',
    ],
    async run(session, { name, value }) {
      try {
        storedSettings[name]?.parse(value);
      } catch (error) {
        throw addErrorPrefix(name, error);
      }
      await storeSetting(session, name, value);
      return toMessageResult(session, `${describeSetting(name)} set to ${value}.\n`, { name, value });
    },
  }),
  defineCommand({
    name: 'unset',
    exitCodes: [4, 8, 75],
    summary: 'Reset a flag or another setting to its built-in default',
    output: { text: ['changed-setting'] },
    effects: 'discards',
    args: { name: nameArgument },
    examples: ['config unset page-size'],
    async run(session, { name }) {
      await storeSetting(session, name, undefined);
      const builtIn = readBuiltIn(name);
      const change = builtIn === null ? 'removed' : `reset to ${builtIn}`;
      return toMessageResult(session, `${describeSetting(name)} ${change}.\n`, { name, value: null });
    },
  }),
  defineCommand({
    name: 'path',
    summary: 'Print the path of the settings file',
    output: { text: ['path'] },
    effects: 'local',
    examples: ['config path'],
    async run({ services: { settings } }) {
      const { path } = await settings();
      return toTextResult(`${path}\n`, { path });
    },
  }),
];

/** Stores or removes a setting, and removes the user or process of a local profile, which would override it. */
async function storeSetting(session: Session, name: string, value: string | undefined): Promise<void> {
  if (isGuardName(name))
    return (await import('../cli/guards/store-guard.ts')).storeGuard(session, name, value);
  await (await openSettingsForChange(session)).change((stored) => {
    const { [name]: _, ...others } = stored.defaults ?? {};
    stored.defaults = value === undefined ? others : { ...others, [name]: value };
    const profile = stored.profiles[session.globals.profile ?? stored.active ?? ''];
    if ((name === 'user' || name === 'process') && profile && 'database' in profile) delete profile[name];
  });
}

/** Returns a function that reads a setting, with the place that its value comes from. */
async function createRowReader(session: Session) {
  const { defaults = {}, projects = [] } = (await openEffectiveSettings(session)).read();
  const { KITH_FORMAT: format } = session.runtime.env;
  const readOwn = (name: 'user' | 'process') => findOwnSetting(session, name).catch(() => defaults[name]); // without a workspace
  const own: Readonly<Record<string, string | undefined>> = {
    user: await readOwn('user'),
    process: await readOwn('process'),
  };
  const guards = await session.guards.list();
  return (name: string): Result<'setting'> => {
    if (isGuardName(name)) {
      const { value = null, from = null } = guards.find((guard) => guard.name === name) ?? {};
      return { name, value, default: readBuiltIn(name), from };
    }
    const isVariable = name === 'format' && Boolean(format);
    const value = (isVariable ? format : (own[name] ?? defaults[name])) ?? null;
    const isOfProfile = own[name] !== undefined && own[name] !== defaults[name];
    const project = projects.find((project) => Object.hasOwn(project.defaults, name))?.path;
    const file = isOfProfile ? 'kith auth login --demo' : (project ?? 'kith config set');
    return { name, value, default: readBuiltIn(name), from: value && (isVariable ? 'KITH_FORMAT' : file) };
  };
}

function readBuiltIn(name: string): string | null {
  const builtIn = storedSettings[name]?.defaultValue;
  return builtIn === undefined ? null : String(builtIn);
}
