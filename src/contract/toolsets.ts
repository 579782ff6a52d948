/**
 * The sets of `kith mcp --tools`: the first words of their commands. The set `read` has every command that reads. `batch`
 * runs only calls of the offered tools.
 */
export const toolsets: Readonly<Record<string, readonly string[]>> = {
  read: [],
  contacts: ['contacts', 'brief', 'followup', 'batch'],
  organizations: ['organizations', 'brief', 'followup', 'batch'],
  notes: ['notes', 'batch'],
  deals: ['entries', 'lists report', 'brief', 'batch'],
  lists: ['lists', 'custom-fields', 'batch'],
  meetings: ['meetings', 'recordings', 'actions', 'brief'],
};
