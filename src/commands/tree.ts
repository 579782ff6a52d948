import type { CommandEntry, CommandTree } from '../cli/command/command.ts';

/** The nouns and the commands without a noun, by heading of the help and by name. */
const entries: Readonly<Record<string, Readonly<Record<string, Omit<CommandEntry, 'title' | 'name'>>>>> = {
  'Records:': {
    contacts: {
      summary: 'Find, create, update, delete and import contacts',
      featured: ['list', 'show', 'find', 'import'],
      commands: async () => (await import('./contacts.ts')).contacts,
    },
    organizations: {
      alias: 'orgs',
      summary: 'Find, create, update, delete and import organizations',
      featured: ['list', 'show', 'create', 'import'],
      commands: async () => (await import('./organizations.ts')).organizations,
    },
    notes: {
      summary: 'Manage notes about organizations',
      featured: ['list', 'create'],
      commands: async () => (await import('./notes.ts')).notes,
    },
    'custom-fields': {
      alias: 'fields',
      summary: 'Manage custom fields of contacts, organizations and deals',
      featured: ['list', 'create'],
      commands: async () => (await import('./custom-fields.ts')).customFields,
    },
    lists: {
      summary: 'Manage lists and processes, and report on a process',
      featured: ['list', 'get', 'report'],
      commands: async () => (await import('./lists.ts')).lists,
    },
    deals: {
      isShorthand: true,
      summary: 'Find, add, move and import the deals of a process: its entries',
      featured: ['list', 'show', 'add', 'move'],
      commands: async () => (await import('./deals.ts')).deals,
    },
    report: {
      isShorthand: true,
      summary: 'Report the deals and values of a process by status or another field',
      commands: async () => (await import('./deals.ts')).report,
    },
    entries: {
      summary: 'Manage the entries of a list or process',
      featured: ['list', 'show', 'add', 'update'],
      commands: async () => (await import('./entries.ts')).entries,
    },
    meetings: {
      alias: 'events',
      documentName: 'events',
      summary: 'List, show, search and export recorded meetings',
      featured: ['list', 'summary', 'grep', 'export'],
      commands: async () => (await import('./events.ts')).events,
    },
    recordings: {
      summary: 'Print summaries and transcripts of recordings',
      featured: ['summary', 'transcript'],
      commands: async () => (await import('./recordings.ts')).recordings,
    },
    actions: {
      summary: 'List the action items of all meetings, and mark them as done',
      featured: ['list', 'done'],
      commands: async () => (await import('./actions/actions.ts')).actions,
    },
    today: {
      summary: 'Show the meetings, due deals and open action items of a day',
      commands: async () => [(await import('./today/today.ts')).today],
    },
    brief: {
      summary: 'Show what to know before a call: people, deals, promises and changes',
      commands: async () => [(await import('./brief/brief.ts')).brief],
    },
    followup: {
      summary: 'Show whom to contact next, with the reasons',
      commands: async () => [(await import('./today/followup.ts')).followup],
    },
    search: {
      summary: 'Search contacts, organizations, entries, notes and meetings',
      commands: async () => [(await import('./search.ts')).search],
    },
    undo: {
      summary: 'Revert the last command that changed the workspace',
      commands: async () => [(await import('./undo/undo.ts')).undo],
    },
    redo: {
      summary: 'Revert the last undo',
      commands: async () => [(await import('./undo/undo.ts')).redo],
    },
    batch: {
      summary: 'Run the commands in a file, one per line',
      commands: async () => [(await import('./batch/batch.ts')).batch],
    },
    api: {
      summary: 'Send any request to the API',
      commands: async () => [(await import('./api.ts')).api],
    },
  },
  'Workspaces:': {
    auth: {
      summary: 'Sign in to workspaces and switch between profiles',
      featured: ['login', 'status', 'switch'],
      commands: async () => (await import('./auth.ts')).auth,
    },
    serve: {
      summary: 'Serve a local workspace over HTTP',
      commands: async () => [(await import('./serve/serve.ts')).serve],
    },
    migrate: {
      summary: 'Update the schema of a workspace',
      commands: async () => [(await import('./serve/serve.ts')).migrate],
    },
    keys: {
      summary: 'Manage the API keys of a local workspace',
      commands: async () => (await import('./serve/serve.ts')).keys,
    },
    workspace: {
      summary: 'Show, back up, copy and compare workspaces, and import calendars and recordings',
      featured: ['info', 'backup', 'copy', 'import-events'],
      commands: async () => (await import('./workspace.ts')).workspace,
    },
  },
  'This program:': {
    schedule: {
      summary: 'Schedule commands with cron, systemd or launchd',
      featured: ['install', 'list'],
      commands: async () => (await import('./schedule/schedule.ts')).schedule,
    },
    index: {
      summary: 'Update, inspect and remove the local search index',
      featured: ['update', 'status'],
      commands: async () => (await import('./search.ts')).index,
    },
    config: {
      summary: 'Manage flag defaults and other settings',
      featured: ['list', 'get', 'set'],
      commands: async () => (await import('./config.ts')).config,
    },
    alias: {
      summary: 'Define short names for commands with their flags',
      featured: ['set', 'list', 'delete'],
      commands: async () => (await import('./alias.ts')).alias,
    },
    doctor: {
      summary: 'Check the installation, settings, key and service',
      commands: async () => [(await import('./doctor.ts')).doctor],
    },
    version: {
      summary: 'Print the version, its build, and the version of Node.js',
      commands: async () => [(await import('./version.ts')).version],
    },
    mcp: {
      summary: 'Serve the workspace to AI agents as MCP tools',
      commands: async () => [(await import('./mcp/mcp.ts')).mcp],
    },
    agents: {
      summary: 'Install a skill file that teaches agents to use kith',
      featured: ['install', 'list', 'show'],
      commands: async () => (await import('./agents/agents.ts')).agents,
    },
    commands: {
      summary: 'List all commands with their arguments and flags, as JSON for programs',
      commands: async () => [(await import('./describe/describe.ts')).commands],
    },
    schema: {
      summary: 'Print the JSON Schema of a record, or of another JSON document',
      commands: async () => [(await import('./describe/describe.ts')).schema],
    },
    completion: {
      summary: 'Generate completion scripts for bash, zsh, fish and PowerShell',
      commands: async () => [(await import('./completion.ts')).completion],
    },
  },
};

/** All nouns and standalone commands, in the order of the help. */
export const commandTree: CommandTree = Object.entries(entries).flatMap(([title, group]) =>
  Object.entries(group).map(([name, entry]) => ({ title, name, ...entry })),
);
