/** The guides in docs/ that `kith help TOPIC` and the manual show, by the name of their file. */
export const guides = {
  records: 'create, update and delete records',
  meetings: 'search transcripts, write subtitles, import meetings',
  export: 'export meetings to files and keep them up to date',
  import: 'import spreadsheets: matching, reports, undo',
  scripting: 'output formats, paging, retries, exit codes',
  agents: 'the MCP server',
  configuration: 'profiles, keys, environment variables, files',
  service: 'serve a workspace, back it up, and how it behaves',
  reliability: 'what kith does when something fails',
} as const;
