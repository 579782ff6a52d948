/** The guides in docs/ that `kith help TOPIC` and the manual show: the name of the file, and a summary. */
export const guides = {
  records: 'create, update and delete records',
  meetings: 'search transcripts, import meetings',
  export: 'export meetings to files',
  import: 'import spreadsheets',
  scripting: 'formats, paging, retries, exit codes',
  agents: 'the MCP server',
  configuration: 'profiles, keys, proxies, files',
  service: 'serve and back up a workspace',
  reliability: 'what happens when something fails',
} as const;
