import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * The floor of a service: answers each path with bytes that it holds in memory, and reads what is sent to it.
 * `bytes-server.ts FILE`, a JSON object of paths and bodies. It says its address on stderr.
 */
const bodies = new Map<string, Buffer>();
const texts: unknown = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
for (const [path, text] of Object.entries(texts ?? {})) bodies.set(path, Buffer.from(String(text)));

const server = createServer((request, response) => {
  request
    .on('data', () => {})
    .on('end', () => {
      const body = bodies.get(request.url ?? '');
      const headers = { 'content-type': 'application/json', 'content-length': body?.length ?? 0 };
      response.writeHead(body ? 200 : 404, headers).end(body);
    });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
