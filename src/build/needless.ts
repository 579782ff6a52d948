import type { Plugin } from 'rolldown';

/**
 * Libraries bring parts for features that are not used here: conf a JSON-schema validator and migrations by version,
 * undici HTTP/2 and bodies of forms. With them a start takes half as long
 * again. And when-exit, of conf's atomically, listens to every signal, so that Node's own ways with them, and ours,
 * would no longer hold. Path -> what it exports.
 */
const parts: Readonly<Record<string, string>> = {
  'ajv/dist/2020.js': 'Ajv2020',
  'ajv-formats': 'default',
  semver: 'default',
  'when-exit': 'default',
  './client-h2.js': 'default',
  '../web/fetch/body.js': 'extractBody',
};

export const withoutNeedless: Plugin = {
  name: 'without-needless',
  resolveId: (id, importer = '') =>
    Object.hasOwn(parts, id) && /node_modules\/(conf|atomically|undici)\//.test(importer)
      ? `\0none:${id}`
      : null,
  load: (id) =>
    id.startsWith('\0none:') ? `const none = () => {}; export { none as ${parts[id.slice(6)]} };` : null,
};

/** Valibot hangs on each schema the way in for other libraries, of which there is none: an object and a function more. */
export const withoutStandardSchema: Plugin = {
  name: 'without-standard-schema',
  transform(code, id) {
    if (!id.endsWith('/valibot/dist/index.mjs')) return null;
    const bare = code.replace(/(?<=function _standardSchema\(schema\) \{).*?(?=return schema;)/s, '');
    if (bare === code) this.error('valibot is not what it was: see without-standard-schema.');
    return bare;
  },
};
