import { resolve } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Modules that libraries load and kith does not use, with the name of their export. Without HTTP/2 and form bodies of
 * undici, and without the child processes of Commander, a command starts faster. `when-exit`, of conf's atomically,
 * handles every signal in its own way, which would replace the handling of kith. Of prom-client, summaries, tracing, and
 * the ways to send metrics elsewhere would only make the package larger.
 */
const unusedModules: Readonly<Record<string, string>> = {
  'when-exit': 'default',
  'node:child_process': 'default',
  './client-h2.js': 'default',
  '../web/fetch/body.js': 'extractBody',
  '@opentelemetry/api': 'default',
  './lib/summary': 'default',
  './lib/pushgateway': 'default',
  './lib/cluster': 'default',
};

/** Replaces unused modules by an empty function. */
export const replaceUnusedModules: Plugin = {
  name: 'replace-unused-modules',
  resolveId: (id, importer = '') =>
    Object.hasOwn(unusedModules, id) &&
    /node_modules\/(atomically|commander|prom-client|undici)\//.test(importer)
      ? `\0unused:${id}`
      : null,
  load: (id) =>
    id.startsWith('\0unused:')
      ? `const unused = () => {}; export { unused as ${unusedModules[id.slice('\0unused:'.length)]} };`
      : null,
};

/** Maximum output of jq in bytes. jq-web collects it in an array, and V8 aborts the process when that is full. */
const maxJqOutput = 100_000_000;

/** Makes the worker thread exit when the output of jq exceeds the limit. jq itself would continue after an error. */
export const limitJqOutput: Plugin = {
  name: 'limit-jq-output',
  transform(code, id) {
    if (id !== resolve('node_modules/jq-web/jq.js')) return null;
    const push = 'if (c) outBuffer.push(c)';
    if (!code.includes(push)) this.error('jq-web has changed: see limit-jq-output.');
    return code.replace(push, `if (outBuffer.length >= ${maxJqOutput}) process.exit(1);\n${push}`);
  },
};

/** Keeps the completion out of the program: it is a file of its own. */
export const separateCompletion: Plugin = {
  name: 'separate-completion',
  resolveId: (id) =>
    id === './completion/complete.ts' ? { id: './complete.cjs', external: 'absolute' } : null,
};

/** Rewrites chunks for the compile cache, which runs them as scripts without import() and reads them as Latin-1. */
export const rewriteForCompileCache: Plugin = {
  name: 'rewrite-for-compile-cache',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code
        .replace(/\bimport\(`(node:[\w/]+|\.\/complete\.cjs)`\)/g, 'Promise.resolve(require("$1"))')
        .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
      if (/[^\w.$]import\(/.test(chunk.code)) this.error(`${chunk.fileName} contains an import().`);
    }
  },
};

/** Creates the segmenter and the emoji expression of string-width on first use. Most texts need neither. */
export const createWidthTablesLate: Plugin = {
  name: 'create-width-tables-late',
  transform(code, id) {
    if (id !== resolve('node_modules/string-width/index.js')) return null;
    let count = 0;
    const late = code.replace(
      /^const (\w+) = (new Intl\.Segmenter\(\)|\/\^\\p\{RGI_Emoji\}\$\/v);/gm,
      (_, name, value) => {
        count += 1;
        const method = value.startsWith('new') ? 'segment' : 'test';
        const create = method === 'test' ? `new RegExp(${JSON.stringify(value.slice(1, -2))}, 'v')` : value;
        return `let ${name}Value; const ${name} = { ${method}: (text) => (${name}Value ??= ${create}).${method}(text) };`;
      },
    );
    if (count !== 2) this.error('string-width has changed: see create-width-tables-late.');
    return late;
  },
};
