// A worker that breaks at one order, and answers all others with their first word.
const { parentPort } = require('node:worker_threads');

parentPort.on('message', ({ id, given: [word] }) => {
  if (word === 'break') throw new Error('There is no memory left.');
  parentPort.postMessage({ id, result: word });
});
