// Loaded into each process of both builds, so that the clock, random numbers and name resolution are the same in each
// run. The comparison writes the time to the file `clock` next to this script.
const fs = require('node:fs');
const { join } = require('node:path');
const { createHash } = require('node:crypto');
const crypto = require('node:crypto');
const dns = require('node:dns');
const timers = require('node:timers/promises');
const { Server } = require('node:net');
const { syncBuiltinESMExports } = require('node:module');

const { readFileSync } = fs;
const clockFile = join(__dirname, 'clock');

/** Milliseconds that this process has slept. A wait takes a twentieth of its time, but sets the clock forward fully. */
let slept = 0;

/** Ends commands that would repeat forever. */
const maxSlept = 180_000;

/** Returns the time. The order of concurrent waits varies, so only full minutes of them count. */
const now = () => Number(readFileSync(clockFile, 'utf8')) + slept - (slept % 60_000);

const RealDate = Date;
RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  apply: () => new RealDate(now()).toString(),
});

// Programs that kith starts with this path load this script, too.
process.execPath = join(__dirname, 'node');

const realWait = timers.setTimeout;
timers.setTimeout = async (milliseconds = 1, value, options) => {
  // Time limits do not keep the process alive; they must not end earlier than a loaded machine responds.
  if (options?.ref === false) return realWait(milliseconds, value, options);
  const end = slept + milliseconds;
  const result = await realWait(milliseconds / 20, value, options);
  slept = Math.max(slept, end);
  if (slept > maxSlept && !process.env.COMPARE_SERVICE) process.kill(process.pid, 'SIGINT');
  return result;
};

// Time limits that affect the output, such as those of names and the progress line, must not depend on the load.
const realSetTimeout = setTimeout;
globalThis.setTimeout = Object.assign(
  (work, milliseconds, ...args) =>
    realSetTimeout(work, milliseconds > 99 ? milliseconds * 10 : milliseconds, ...args),
  realSetTimeout,
);

Math.random = () => 0.5;

let randomCalls = 0;
crypto.randomBytes = (size) => {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 32) {
    randomCalls += 1;
    createHash('sha256').update(`${now()} ${randomCalls}`).digest().copy(bytes, at);
  }
  return bytes;
};

const realLookup = dns.lookup;
dns.lookup = (host, options, callback = options) => {
  if (/^(localhost|[\d.]+|[\da-f:]*:[\da-f:]*)$/.test(host)) return realLookup(host, options, callback);
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
    ...{ errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: host },
  });
  setImmediate(callback, error);
};

// Ends a command that serves.
if (!process.env.COMPARE_SERVICE) {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    this.once('listening', () => realSetTimeout(() => process.kill(process.pid, 'SIGINT'), 500));
    return listen.apply(this, args);
  };
}

syncBuiltinESMExports();
