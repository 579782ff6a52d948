import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

const flags = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--hide-scrollbars'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly request?: { readonly url: string } };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** Starts a headless Chromium, which is controlled through a pipe by the DevTools protocol, until the test ends. */
async function startChromium() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-chromium-'));
  const args = [...flags, '--remote-debugging-pipe', `--user-data-dir=${folder}`, 'about:blank'];
  const child = spawn('chromium', args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    // Its group, because its child processes write to the folder too.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const [, , , input, output] = child.stdio as [
    null,
    null,
    null,
    NodeJS.WritableStream,
    NodeJS.ReadableStream,
  ];
  const waiting = new Map<number, (message: Message) => void>();
  const events: Message[] = [];
  let buffered = '';
  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    const parts = (buffered + text).split('\0');
    buffered = parts.pop() ?? '';
    for (const message of parts.map((part): Message => JSON.parse(part)))
      if (message.id === undefined) events.push(message);
      else waiting.get(message.id)?.(message);
  });
  const send = (method: string, params: object = {}, sessionId?: string) =>
    new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      const id = waiting.size + 1;
      waiting.set(id, ({ result = {}, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result),
      );
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  return { send, events };
}

/** Opens a file in a new Chromium, and returns functions to control the page. */
export async function openInChromium(file: string) {
  const { send, events } = await startChromium();
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const command = (method: string, params?: object) => send(method, params, String(sessionId));
  const evaluate = async (expression: string): Promise<unknown> => {
    const parameters = { expression, returnByValue: true };
    const { result, exceptionDetails } = await command('Runtime.evaluate', parameters);
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value?: unknown }).value;
  };
  await command('Network.enable');
  await command('Log.enable');
  await command('Page.enable');
  await command('Page.navigate', { url: pathToFileURL(file).href });
  // The event of the load may be that of the empty page before it.
  const isLoaded = 'location.protocol === "file:" && document.readyState === "complete"';
  while (!(await evaluate(isLoaded))) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    evaluate,
    setWidth: (width: number) =>
      command('Emulation.setDeviceMetricsOverride', {
        width,
        height: 800,
        deviceScaleFactor: 1,
        mobile: false,
      }),
    setMedia: (media: 'screen' | 'print', scheme: 'light' | 'dark') =>
      command('Emulation.setEmulatedMedia', {
        media,
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      }),
    screenshot: async () => Buffer.from(String((await command('Page.captureScreenshot')).data), 'base64'),
    print: async () => Buffer.from(String((await command('Page.printToPDF')).data), 'base64'),
    /** Returns the addresses that the page has requested, and its errors. */
    listRequests: () =>
      events.flatMap(({ method, params }) =>
        method === 'Network.requestWillBeSent' ? [params?.request?.url ?? ''] : [],
      ),
    listErrors: () => events.filter(({ method }) => method === 'Log.entryAdded').map(({ params }) => params),
  };
}
