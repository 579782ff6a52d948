import { resolve } from 'node:path';
import type { Plugin } from 'rolldown';

/** Bytes of what jq gives, at the most: they are held in an array, and V8 ends the whole process where that is full. */
const most = 100_000_000;

/** More than that ends the thread that jq works in: jq itself would go on where a write fails. */
export const boundedJq: Plugin = {
  name: 'bounded-jq',
  transform(code, id) {
    if (id !== resolve('node_modules/jq-web/jq.js')) return null;
    const push = 'if (c) outBuffer.push(c)';
    if (!code.includes(push)) this.error('jq-web is not what it was: see bounded-jq.');
    return code.replace(push, `if (outBuffer.length >= ${most}) process.exit(1);\n${push}`);
  },
};
