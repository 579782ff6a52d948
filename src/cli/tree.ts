import type { CommandGroup, Noun, StandaloneCommand } from './command.ts';

/** The nouns of the specification, and any request. */
export const recordCommands: CommandGroup = {
  title: 'Records:',
  entries: [
    {
      name: 'contacts',
      summary: 'Find, create, update, delete and import contacts',
      commands: async () => (await import('./commands/contacts.ts')).contacts,
    },
    {
      name: 'organizations',
      alias: 'orgs',
      summary: 'Find, create, update, delete and import organizations',
      commands: async () => (await import('./commands/organizations.ts')).organizations,
    },
    {
      name: 'notes',
      summary: 'Manage notes about organizations',
      commands: async () => (await import('./commands/notes.ts')).notes,
    },
    {
      name: 'custom-fields',
      alias: 'fields',
      summary: 'Manage custom fields of contacts, organizations and deals',
      commands: async () => (await import('./commands/custom-fields.ts')).customFields,
    },
    {
      name: 'lists',
      summary: 'Manage lists and processes, and report on a process',
      commands: async () => (await import('./commands/lists.ts')).lists,
    },
    {
      name: 'entries',
      summary: 'Manage the entries of a list or process',
      commands: async () => (await import('./commands/entries.ts')).entries,
    },
    {
      name: 'events',
      alias: 'meetings',
      summary: 'List, search and export recorded meetings',
      commands: async () => (await import('./commands/events.ts')).events,
    },
    {
      name: 'recordings',
      summary: 'Print summaries and transcripts of recordings',
      commands: async () => (await import('./commands/recordings.ts')).recordings,
    },
    {
      name: 'api',
      summary: 'Send any request to the API',
      command: async () => (await import('./commands/api.ts')).api,
    },
  ],
};

/** All commands, in the order of the help. */
export const commandTree: readonly CommandGroup[] = [
  recordCommands,
  {
    title: 'Workspaces:',
    entries: [
      {
        name: 'auth',
        summary: 'Sign in to workspaces and switch between profiles',
        commands: async () => (await import('./commands/auth.ts')).auth,
      },
      {
        name: 'serve',
        summary: 'Serve a local workspace over HTTP',
        command: async () => (await import('./commands/serve.ts')).serve,
      },
      {
        name: 'keys',
        summary: 'Manage the API keys of a local workspace',
        commands: async () => (await import('./commands/serve.ts')).keys,
      },
      {
        name: 'workspace',
        summary: 'Import calendars and recordings into a local workspace, take snapshots',
        commands: async () => (await import('./commands/workspace.ts')).workspace,
      },
    ],
  },
  {
    title: 'This program:',
    entries: [
      {
        name: 'schedule',
        summary: 'Schedule commands with cron, systemd or launchd',
        commands: async () => (await import('./commands/schedule.ts')).schedule,
      },
      {
        name: 'config',
        summary: 'Manage the defaults of flags',
        commands: async () => (await import('./commands/config.ts')).config,
      },
      {
        name: 'doctor',
        summary: 'Check the installation, settings, key and service',
        command: async () => (await import('./doctor/checks.ts')).doctor,
      },
      {
        name: 'mcp',
        summary: 'Serve the workspace to AI agents as MCP tools',
        command: async () => (await import('./commands/mcp.ts')).mcp,
      },
      {
        name: 'completion',
        summary: 'Generate completion scripts for bash, zsh, fish and PowerShell',
        command: async () => (await import('./commands/completion.ts')).completion,
      },
      {
        name: 'complete',
        summary: 'Values for the completion scripts',
        isHidden: true,
        command: async () => (await import('./commands/completion.ts')).complete,
      },
    ],
  },
];

/** Finds a noun or standalone command by its name or alias. */
export function findEntry(name: string | undefined): Noun | StandaloneCommand | undefined {
  return commandTree
    .flatMap(({ entries }) => entries)
    .find((entry) => entry.name === name || ('alias' in entry && entry.alias === name));
}
