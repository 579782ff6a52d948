import { Failure } from '../../contract/errors.ts';
import { command, said } from '../command.ts';
import { flag } from '../flags/options.ts';

export const mcp = command({
  name: 'mcp',
  summary: 'Let an agent read the workspace: tools over stdio',
  description:
    'Serve the commands that read records as tools for an agent, by the Model Context Protocol over stdin and ' +
    'stdout; a program for agents starts it. It ends when stdin does. No tool reads or writes a file of this ' +
    'machine. Answers are marked as untrusted text, and say what was left out.',
  attended: () => 'answers a client that starts it: name it in the settings of that client',
  answers: 'text',
  options: { allowWrite: flag('Commands that create, update and delete are tools too') },
  examples: ['mcp', 'mcp --allow-write --profile demo'],
  async run(session, { allowWrite }) {
    const [{ serveTools }, { loadTools }, { callTool }] = await Promise.all([
      import('../mcp/serve.ts'),
      import('../mcp/tools.ts'),
      import('../mcp/call.ts'),
    ]);
    const { json, jq, format } = session.globals;
    if (json || jq !== undefined || format === 'json') {
      throw new Failure('usage', 'What is printed here is for the client: --json has no meaning.');
    }
    if (session.stdin.isTerminal)
      await session.note('Waiting for the messages of an MCP client; Ctrl-D ends it.');
    await serveTools(session, await loadTools({ mayWrite: allowWrite }), (tool, values, signal) =>
      callTool(session.until(signal), tool, values),
    );
    return said('', { stopped: true });
  },
});
