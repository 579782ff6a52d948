import { defineCommand, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import {
  createChoiceOption,
  createFlag,
  createIntegerOption,
  createTextOption,
  makeRepeatable,
  toFlagName,
  withDefault,
} from '../../cli/command/options.ts';
import { conflicts, requires } from '../../cli/command/rules.ts';
import { Failure } from '../../contract/errors.ts';
import { toolsets } from '../../contract/toolsets.ts';

const listFormat = new Intl.ListFormat('en');

export const mcp = defineCommand({
  name: 'mcp',
  unusedExitCodes: [3, 5, 9], // reported to the agent
  summary: 'Serve the workspace to AI agents as MCP tools',
  description:
    'Run a Model Context Protocol (MCP) server on stdin and stdout. An MCP client starts it. Its tools read ' +
    'records; --allow-write adds tools that write. They cannot read or write local files. --http serves clients ' +
    'with a key over HTTP instead. For settings, see `kith help agents`.',
  describeInteraction: () => 'is started by an MCP client; add it to the settings of that client',
  output: { protocol: ['stopped-server'] },
  isWorkspaceOptional: true,
  options: {
    allowWrite: createFlag('Also serve tools that create, update, delete and undo'),
    tools: createTextOption(
      `Serve only these tools, comma-separated: names, patterns such as records_*, or the sets ${listFormat.format(Object.keys(toolsets))}`,
      'A,B',
      { completion: 'toolsets' },
    ),
    maxChars: withDefault(
      createIntegerOption('Maximum length of the text of a result, in characters', 'N', 1000, 10_000_000),
      50_000,
    ),
    maxTokens: createIntegerOption(
      'Maximum length in estimated tokens instead: a token is 4 Latin characters or 1 other character',
      'N',
      250,
      2_500_000,
    ),
    results: withDefault(
      createChoiceOption(
        'Parts of a result to send; both parts have the same data:',
        ['both', 'text', 'structured'],
        'PART',
      ),
      'both' as const,
    ),
    http: createFlag('Serve over HTTP (Streamable HTTP) instead of stdin and stdout'),
    host: withDefault(createTextOption('Loopback address to listen on, with --http', 'ADDRESS'), '127.0.0.1'),
    port: withDefault(
      createIntegerOption('Port to listen on, with --http; 0 selects a free port', 'PORT', 0, 65_535),
      4718,
    ),
    allowOrigin: makeRepeatable(
      createTextOption('Origin of a web page or a proxy that may connect, with --http', 'URL'),
    ),
  },
  rules: [
    conflicts('maxTokens', 'maxChars'),
    requires('host', 'http'),
    requires('port', 'http'),
    requires('allowOrigin', 'http'),
  ],
  examples: [
    'mcp',
    'mcp --allow-write --tools read,notes,deals',
    "mcp --tools 'search,records_*' --max-chars 20000",
    'mcp --http --port 4718',
  ],
  async run(session, { allowWrite, tools: patterns, maxChars, maxTokens, results, http, ...address }) {
    checkFlags(session);
    await session.connections.openMirror();
    const { loadTools } = await import('./tools.ts');
    const offer = {
      tools: await loadTools(
        session.services.tree,
        allowWrite,
        patterns?.split(',').map((name) => name.trim()),
      ),
      limit: { max: maxTokens ?? maxChars, unit: maxTokens === undefined ? 'characters' : 'tokens' } as const,
      results,
    };
    if (http) {
      const { serveHttp } = await import('./http.ts');
      await serveHttp(session, offer, address);
    } else {
      const { serveStdio } = await import('./serve.ts');
      if (session.streams.stdin.isTerminal)
        await session.messages.note('Waiting for an MCP client on stdin. Press Ctrl-D to stop.');
      await serveStdio(session, offer);
    }
    return toTextResult('', { stopped: true });
  },
});

/** @throws {Failure} usage if a flag would change the messages on stdout */
function checkFlags({ globals: { json, jq, format, output } }: Session): void {
  const rejectedFlags = {
    json,
    jq: jq !== undefined,
    format: format === 'json',
    output: output !== undefined,
  };
  for (const [name, isSet] of Object.entries(rejectedFlags))
    if (isSet) throw new Failure('usage', `This command does not accept ${toFlagName(name)}.`);
}
