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

/**
 * The parts of large modules that libraries use. The modules of Node would take 3 ms to load, because `node:assert` opens
 * stderr. The MCP library would load a second Ajv, for form values that kith checks itself.
 */
const smallModules: Readonly<Record<string, string>> = {
  'node:assert': `module.exports = (value, message = 'The assertion failed.') => {
    if (!value) throw message instanceof Error ? message : new Error(message);
  };`,
  // The client is created with a maximum header size, and no body is an IncomingMessage.
  'node:http': 'module.exports = {};',
  '@modelcontextprotocol/server/_shims': `export class DefaultJsonSchemaValidator {}
  export { default as process } from 'node:process';`,
};

/** Replaces unused modules with an empty function, and large modules with the parts that a library uses. */
export const replaceUnusedModules: Plugin = {
  name: 'replace-unused-modules',
  resolveId: (id, importer = '') => {
    const isUnused =
      Object.hasOwn(unusedModules, id) &&
      /node_modules\/(atomically|commander|prom-client|undici)\//.test(importer);
    const isSmall =
      Object.hasOwn(smallModules, id) && /node_modules\/(undici|@modelcontextprotocol)\//.test(importer);
    return isUnused || isSmall ? `\0replaced:${id}` : null;
  },
  load: (path) => {
    if (!path.startsWith('\0replaced:')) return null;
    const id = path.slice('\0replaced:'.length);
    return smallModules[id] ?? `const unused = () => {}; export { unused as ${unusedModules[id]} };`;
  },
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

/** Creates the segmenter and the regular expressions of string-width on first use. Most texts need none of them. */
export const createWidthTablesLate: Plugin = {
  name: 'create-width-tables-late',
  transform(code, id) {
    if (id !== resolve('node_modules/string-width/index.js')) return null;
    const tables = Array.from(
      code.matchAll(/^const (\w+) = (new Intl\.Segmenter\(\)|\/.+\/[gv]\w?);$/gm),
      ([line, name = '', value]) => ({ line, name, value }),
    );
    if (tables.length < 5) this.error('string-width has changed: see create-width-tables-late.');
    return tables.reduce(
      (text, { line, name, value }) =>
        text
          .replace(line, '')
          .replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}()`)
          .concat(`let ${name}Value;\nfunction ${name}() { return (${name}Value ??= ${value}); }\n`),
      code,
    );
  },
};
