import { resolve } from 'node:path';
import type { Plugin } from 'rolldown';

/** Parts of Node that conf and Commander ask for at once and hardly ever use: loaded on first use, 2 ms each. */
export const lateParts: Plugin = {
  name: 'late-parts',
  resolveId: (id, importer = '') =>
    /^node:(crypto|child_process|assert)$/.test(id) && /node_modules\/(conf|commander)\//.test(importer)
      ? `\0late:${id}`
      : null,
  load: (id) =>
    id.startsWith('\0late:')
      ? `module.exports = new Proxy({}, { get: (_, name) => require('${id.slice(6)}')[name] });`
      : null,
};

/** What string-width makes when it is loaded, Node's tables of letters and emoji, takes 17 ms: made on first use. */
export const lateWidths: Plugin = {
  name: 'late-widths',
  transform(code, id) {
    if (id !== resolve('node_modules/string-width/index.js')) return null;
    let found = 0;
    const late = code.replace(
      /^const (\w+) = (new Intl\.Segmenter\(\)|\/\^\\p\{RGI_Emoji\}\$\/v);/gm,
      (_, name, made) => {
        found += 1;
        const verb = made.startsWith('new') ? 'segment' : 'test';
        const maker = verb === 'test' ? `new RegExp(${JSON.stringify(made.slice(1, -2))}, 'v')` : made;
        return `let ${name}Made; const ${name} = { ${verb}: (text) => (${name}Made ??= ${maker}).${verb}(text) };`;
      },
    );
    if (found !== 2) this.error('string-width is not what it was: see late-widths.');
    return late;
  },
};
