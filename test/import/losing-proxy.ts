import { createServer, request as forward } from 'node:http';
import { onTestFinished } from 'vitest';

/** Decides about each write whether its response is lost. */
type LossDecision = () => boolean;

/** Starts a proxy that loses responses to writes after the service has executed them. */
export async function startLosingProxy(service: string, losesResponse: LossDecision) {
  const state = { lost: 0, losesResponse };
  const { hostname, port } = new URL(service);
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const forwarded = forward({ hostname, port, method, path: url, headers, agent: false }, (reply) => {
      if (method !== 'GET' && state.losesResponse()) {
        state.lost += 1;
        reply.resume().on('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const proxyPort = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${proxyPort}`, state };
}
