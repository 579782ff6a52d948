/** The sets of `kith mcp --tools`: the first words of their commands. The set `read` has every command that reads. */
export const toolsets: Readonly<Record<string, readonly string[]>> = {
  read: [],
  contacts: ['contacts'],
  organizations: ['organizations'],
  notes: ['notes'],
  deals: ['entries', 'lists report'],
  lists: ['lists', 'custom-fields'],
  meetings: ['meetings', 'recordings', 'actions'],
};
