// A worker that breaks at one order, leaves at another, and answers all others with their first word.
const { parentPort } = require('node:worker_threads');

parentPort.on('message', ({ id, given: [word] }) => {
  if (word === 'break') throw new Error('There is no memory left.');
  if (word === 'leave') process.exit(1);
  parentPort.postMessage({ id, result: word });
});
