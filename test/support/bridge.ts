import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { CommandResult, MachineOptions } from './kith.ts';

type Machine = (args: readonly string[], options: MachineOptions) => Promise<CommandResult>;

/** The words that the script sends before those of the command line. */
const contextWords = [
  '$#',
  '$$',
  '$PWD',
  '$columns',
  '$stdin',
  '$KITH_BASE_URL',
  '$KITH_API_KEY',
  '$KITH_OFFLINE',
];

/**
 * Writes a script that runs a command line with a function of this process, which takes much less time than the program:
 * in the folder and with the streams of the script. Other environment variables do not reach the command.
 */
export async function writeBridgeScript(script: string, machine: Machine): Promise<void> {
  const server = createServer((socket) => void runRequest(socket, machine)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a port of TCP
  const words = [...contextWords.map((word) => `"${word}"`), '"$@"'].join(' ');
  const lines = [
    '#!/bin/bash',
    'columns= stdin=',
    '[ -t 1 ] && columns=100',
    '[ -t 0 ] || { stdin=/proc/$$/fd/4; columns=; }',
    `exec 3<>/dev/tcp/127.0.0.1/${port} 4<&0 5>&1 6>&2`, // bash redirects the first three of its own commands
    `printf '%s\\0' ${words} >&3`,
    'read -r -u 3 code',
    'exit "$code"',
  ];
  writeFileSync(script, `${lines.join('\n')}\n`);
  chmodSync(script, 0o755);
}

/** Runs the command line that a script sends, and sends the exit code back. */
async function runRequest(socket: Socket, machine: Machine): Promise<void> {
  let received = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    received += chunk;
    const [
      count = '',
      pid = '',
      folder = '',
      columns = '',
      input = '',
      url = '',
      key = '',
      offline = '',
      ...args
    ] = received.split('\0');
    if (args.length <= Number(count)) continue; // the last NUL has not arrived
    const stdin = input === '' ? '' : await readFile(input, 'utf8');
    const callerFolder = process.cwd();
    process.chdir(folder);
    const { code, out, err } = await machine(args.slice(0, -1), {
      env: { KITH_BASE_URL: url, KITH_API_KEY: key, KITH_OFFLINE: offline },
      stdin,
      ...(columns !== '' && { terminal: Number(columns) }),
    });
    process.chdir(callerFolder);
    // A reader may have closed the pipe.
    await writeFile(`/proc/${pid}/fd/5`, out, { flag: 'a' }).catch(() => {});
    await writeFile(`/proc/${pid}/fd/6`, err, { flag: 'a' });
    socket.end(`${code}\n`);
    return;
  }
}
