import type { Chapter, Lone, Noun } from './command.ts';

/** The nouns of the specification, and any request. */
export const records: Chapter = {
  title: 'Records:',
  entries: [
    {
      name: 'contacts',
      summary: 'People: find by email or phone, create, update, delete',
      commands: async () => (await import('./commands/contacts.ts')).contacts,
    },
    {
      name: 'organizations',
      alias: 'orgs',
      summary: 'Organizations: find by domain or name, create, update, delete',
      commands: async () => (await import('./commands/organizations.ts')).organizations,
    },
    {
      name: 'notes',
      summary: 'Notes about organizations',
      commands: async () => (await import('./commands/notes.ts')).notes,
    },
    {
      name: 'custom-fields',
      alias: 'fields',
      summary: 'The fields that the workspace adds to its records',
      commands: async () => (await import('./commands/custom-fields.ts')).customFields,
    },
    {
      name: 'lists',
      summary: 'Lists and processes, and a process as a report',
      commands: async () => (await import('./commands/lists.ts')).lists,
    },
    {
      name: 'entries',
      summary: 'The entries of a list or process',
      commands: async () => (await import('./commands/entries.ts')).entries,
    },
    {
      name: 'events',
      alias: 'meetings',
      summary: 'Recorded meetings: list, get, search, export their summaries',
      commands: async () => (await import('./commands/events.ts')).events,
    },
    {
      name: 'recordings',
      summary: 'Recordings of meetings: summary and transcript',
      commands: async () => (await import('./commands/recordings.ts')).recordings,
    },
    {
      name: 'api',
      summary: 'Send any request to the service',
      command: async () => (await import('./commands/api.ts')).api,
    },
  ],
};

/** Everything that can be typed, in the order of the help. */
export const tree: readonly Chapter[] = [
  records,
  {
    title: 'Workspaces:',
    entries: [
      {
        name: 'auth',
        summary: 'Sign in to a workspace, hosted or on this machine',
        commands: async () => (await import('./commands/auth.ts')).auth,
      },
      {
        name: 'serve',
        summary: 'Serve a workspace of this machine over HTTP',
        command: async () => (await import('./commands/serve.ts')).serve,
      },
      {
        name: 'keys',
        summary: 'API keys of a workspace on this machine',
        commands: async () => (await import('./commands/keys.ts')).keys,
      },
      {
        name: 'workspace',
        summary: 'A workspace on this machine: import calendars and recordings, take snapshots',
        commands: async () => (await import('./commands/workspace.ts')).workspace,
      },
    ],
  },
  {
    title: 'This program:',
    entries: [
      {
        name: 'schedule',
        summary: 'Commands at set times, by cron, systemd or launchd',
        commands: async () => (await import('./commands/schedule.ts')).schedule,
      },
      {
        name: 'config',
        summary: 'Defaults for flags',
        commands: async () => (await import('./commands/config.ts')).config,
      },
      {
        name: 'doctor',
        summary: 'Look at all that commands need, from Node to the service',
        command: async () => (await import('./commands/doctor.ts')).doctor,
      },
      {
        name: 'mcp',
        summary: 'Let an agent read the workspace: tools over stdio',
        command: async () => (await import('./commands/mcp.ts')).mcp,
      },
      {
        name: 'completion',
        summary: 'Completion for bash, zsh, fish and PowerShell',
        command: async () => (await import('./commands/completion.ts')).completion,
      },
      {
        name: 'complete',
        summary: 'Values for the completion scripts',
        hidden: true,
        command: async () => (await import('./commands/completion.ts')).complete,
      },
    ],
  },
];

/** The noun or lone command of a name or alias; undefined where there is none. */
export function entryNamed(name: string | undefined): Noun | Lone | undefined {
  return tree
    .flatMap(({ entries }) => entries)
    .find((entry) => entry.name === name || ('alias' in entry && entry.alias === name));
}
