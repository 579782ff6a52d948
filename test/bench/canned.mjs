// A service that answers every request with the same bytes: `canned.mjs BODY`. It says its address on stderr.
import { createServer } from 'node:http';

const body = Buffer.from(process.argv[2] ?? '');
const headers = { 'content-type': 'application/json', 'content-length': body.length };
const server = createServer((_, response) => response.writeHead(200, headers).end(body));
server.listen(0, '127.0.0.1', () => process.stderr.write(`http://127.0.0.1:${server.address().port}\n`));
