// A worker that crashes at one task, exits at another, and returns the first argument of any other.
const { parentPort } = require('node:worker_threads');

parentPort.on('message', ({ id, args: [word] }) => {
  if (word === 'break') throw new Error('Out of memory.');
  if (word === 'leave') process.exit(1);
  parentPort.postMessage({ id, result: word });
});
