import { resolve } from 'node:path';
import type * as kysely from 'kysely';
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

/** What is used of Kysely: classes to be made, and an object. */
const queries: readonly (keyof typeof kysely)[] = [
  'CompiledQuery',
  'Kysely',
  'SqliteAdapter',
  'SqliteIntrospector',
  'SqliteQueryCompiler',
];

/** Kysely, which takes as long to load as the workspace to be opened and read: loaded by what writes. */
export const lateKysely: Plugin = {
  name: 'late-kysely',
  resolveId(id, importer = '') {
    if (id === 'kysely' && importer.includes('/src/service/')) return '\0late-kysely';
    return id === 'queries' ? '\0queries' : null;
  },
  load(id) {
    if (id === '\0queries') return `export { ${queries.join(', ')} } from 'kysely';`;
    if (id !== '\0late-kysely') return null;
    return `
      const late = (name) => new Proxy(class {}, {
        construct: (_, given) => Reflect.construct(atOnce(import('queries'))[name], given),
        get: (_, part) => atOnce(import('queries'))[name][part],
      });
      ${queries.map((name) => `export const ${name} = late('${name}');`).join('\n')}`;
  },
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(
        /atOnce\(Promise\.resolve\(\)\.then\(\(\)=>(require\("[^"]+"\))\)\)/g,
        '$1',
      );
      if (chunk.code.includes('atOnce('))
        this.error('An import() is written in another way: see late-kysely.');
    }
  },
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
