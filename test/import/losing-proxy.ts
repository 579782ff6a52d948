import { createServer, request as forward } from 'node:http';
import { onTestFinished } from 'vitest';

/** Decides about each write whether its response is lost. */
type Loses = () => boolean;

/** A proxy in front of a service. It loses responses to writes, but only after the service has carried them out. */
export async function losingProxy(service: string, loses: Loses) {
  const state = { lost: 0, loses };
  const { hostname, port } = new URL(service);
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const onward = forward({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
      if (method !== 'GET' && state.loses()) {
        state.lost += 1;
        answer.resume().on('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const own = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${own}`, state };
}
