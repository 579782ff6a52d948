import type { Group } from './command.ts';

/** Every noun, in the order of the help. */
export const groups: readonly Group[] = [
  {
    name: 'auth',
    summary: 'Sign in to a workspace, hosted or on this machine',
    commands: async () => (await import('./commands/auth.ts')).auth,
  },
  {
    name: 'contacts',
    summary: 'People: list, get, find by email or phone',
    commands: async () => (await import('./commands/contacts.ts')).contacts,
  },
  {
    name: 'organizations',
    alias: 'orgs',
    summary: 'Organizations: list, get',
    commands: async () => (await import('./commands/organizations.ts')).organizations,
  },
  {
    name: 'lists',
    summary: 'Lists and processes: list, get',
    commands: async () => (await import('./commands/lists.ts')).lists,
  },
  {
    name: 'entries',
    summary: 'The entries of a list or process: list, get',
    commands: async () => (await import('./commands/entries.ts')).entries,
  },
  {
    name: 'events',
    alias: 'meetings',
    summary: 'Recorded meetings: list, get, export their summaries',
    commands: async () => (await import('./commands/events.ts')).events,
  },
  {
    name: 'recordings',
    summary: 'Recordings of meetings: get, summary, transcript',
    commands: async () => (await import('./commands/recordings.ts')).recordings,
  },
  {
    name: 'workspace',
    summary: 'A workspace on this machine: import calendars and recordings',
    commands: async () => (await import('./commands/workspace.ts')).workspace,
  },
  {
    name: 'keys',
    summary: 'API keys of a workspace on this machine: create, list, revoke',
    commands: async () => (await import('./commands/keys.ts')).keys,
  },
];
