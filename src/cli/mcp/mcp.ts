import { Failure } from '../../contract/errors.ts';
import { defineCommand, toTextResult } from '../command/command.ts';
import { createFlag, toFlagName } from '../flags/options.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve the workspace to AI agents as MCP tools over stdio',
  description:
    'Run a Model Context Protocol (MCP) server on stdin and stdout. An MCP client starts it, and ' +
    'stops it by closing stdin. Commands that read records become tools; --allow-write adds those ' +
    'that create, update and delete. Tools cannot read or write local files. Results are marked as ' +
    'untrusted text and say if they are truncated.',
  describeInteraction: () => 'is started by an MCP client; add it to the settings of that client',
  output: 'text',
  isWorkspaceOptional: true,
  options: { allowWrite: createFlag('Also serve commands that create, update and delete') },
  examples: ['mcp', 'mcp --allow-write --profile demo'],
  async run(session, { allowWrite }) {
    const { serveTools } = await import('./serve.ts');
    const { json, jq, format, output } = session.globals;
    const rejectedFlags = {
      json,
      jq: jq !== undefined,
      format: format === 'json',
      output: output !== undefined,
    };
    for (const [name, isSet] of Object.entries(rejectedFlags))
      if (isSet) throw new Failure('usage', `This command does not accept ${toFlagName(name)}.`);
    if (session.stdin.isTerminal)
      await session.note('Waiting for an MCP client on stdin. Press Ctrl-D to stop.');
    await serveTools(session, allowWrite);
    return toTextResult('', { stopped: true });
  },
});
