import { expect, test } from 'vitest';
import type { ReceivedRequest } from '../client/loopback.ts';
import { findRoute, routes, startRecordingService } from '../commands/recording-service.ts';
import { createMachine } from '../support/kith.ts';
import { endpointRows, listResponses } from './endpoint-rows.ts';

/** Returns the headers of a request that the specification requires. */
function pickHeaders({ headers }: ReceivedRequest) {
  const { accept, authorization, 'user-agent': userAgent, 'content-type': type } = headers;
  return { accept, authorization, userAgent, type };
}

test.each(endpointRows)('%s sends %s %s', async (line, method, path, body, before) => {
  const { env, requests, listRequests } = await startRecordingService(listResponses);
  const { code, err } = await createMachine()(line, { env });
  expect({ code, err, requests: listRequests() }).toEqual({
    code: 0,
    err: '',
    requests: [...before, `${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`],
  });
  expect(requests.map(pickHeaders)).toEqual(
    requests.map(({ body }) => ({
      accept: 'application/json',
      authorization: 'Bearer key-for-tests',
      userAgent: expect.stringMatching(/^kith\/test/),
      type: body === '' ? undefined : 'application/json',
    })),
  );
});

test('every route of the contract is covered, and so are both lookups of a contact', () => {
  const commandRows = endpointRows.filter(([line]) => !line.startsWith('api '));
  const reachedRoutes = new Set(commandRows.map(([, method, path]) => findRoute(method, path)?.name));
  expect([...reachedRoutes].sort()).toEqual(routes.map(({ name }) => name).sort());
  expect(routes).toHaveLength(35);
  const lookUps = ['email', 'phone_number'].map((name) =>
    commandRows.some(([, , path]) => path.startsWith(`/v1/contacts?${name}=`)),
  );
  expect(lookUps).toEqual([true, true]);
});

const readingRows = endpointRows.filter(([, method]) => method === 'GET');

test.each(readingRows)(
  '%s sends the same requests in a pipe and with --json; only a terminal also requests names',
  async (line) => {
    const { env, requests, listRequests } = await startRecordingService(listResponses);
    const kith = createMachine();
    const requestLists: string[][] = [];
    for (const [more, setting] of [
      ['', { env }],
      ['', { env, terminal: 100, rows: 30 }],
      [' --json', { env }],
    ] as const) {
      const { code } = await kith(`${line}${more}`, setting);
      // A terminal shows the newest notes first, so it reads all of them.
      const pages = listRequests().map((request) => request.replace('notes?first=100&', 'notes?first=25&'));
      requestLists.push([String(code), ...pages]);
      requests.length = 0;
    }
    const [inPipe = [], inTerminal = [], inJson] = requestLists;
    expect(inPipe[0]).toBe('0');
    expect(inJson).toEqual(inPipe);
    expect(inTerminal.slice(0, inPipe.length)).toEqual(inPipe);
    const forNames = inTerminal.slice(inPipe.length);
    expect(
      forNames.filter((request) => !/^GET \/v1\/(contacts|organizations|lists)\b/.test(request)),
    ).toEqual([]);
  },
);
