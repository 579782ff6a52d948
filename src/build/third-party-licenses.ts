import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputBundle, Plugin } from 'rolldown';

/** SPDX licenses allowed in the bundle. All are compatible with MIT; MPL-2.0 is, because its files are unmodified. */
const allowed = '0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause ICU ISC MIT MPL-2.0 dtoa'.split(' ');

/** Third-party code in the bundle, with its license texts. */
interface Notice {
  readonly name: string;
  readonly license: string;
  readonly source: string;
  readonly texts: readonly string[];
}

/** Code that packages contain and that is not on npm. Its license text is `licenses/NAME.txt`. */
const embedded: Readonly<Record<string, readonly Omit<Notice, 'texts'>[]>> = {
  'jq-web': [
    { name: 'jq', license: 'MIT AND ICU AND BSD-2-Clause AND dtoa', source: 'https://github.com/jqlang/jq' },
    { name: 'oniguruma', license: 'BSD-2-Clause', source: 'https://github.com/kkos/oniguruma' },
    { name: 'emscripten', license: 'MIT', source: 'https://github.com/emscripten-core/emscripten' },
    { name: 'musl', license: 'MIT', source: 'https://musl.libc.org' },
  ],
  undici: [{ name: 'llhttp', license: 'MIT', source: 'https://github.com/nodejs/llhttp' }],
};

/** Writes the licenses of all packages in the bundle to `file`. Fails if one is missing or not allowed. */
export function createLicensePlugin(file: string): Plugin {
  return {
    name: 'third-party-licenses',
    writeBundle(_, bundle) {
      const notices = listPackageFolders(bundle).flatMap(readNotices);
      for (const { name, license, texts } of notices) {
        if (!isAllowed(license)) this.error(`${name}: the license "${license}" is not allowed.`);
        if (texts.length === 0) this.error(`${name}: the package has no license text.`);
      }
      writeFileSync(file, formatNotices(notices));
    },
  };
}

/** Returns the folders of the packages in the bundle, including the bundler's own runtime. */
function listPackageFolders(bundle: OutputBundle): string[] {
  const folders = new Set(['node_modules/rolldown']);
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk') continue;
    for (const [id, { renderedLength }] of Object.entries(chunk.modules)) {
      const [, folder] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
      if (folder !== undefined && renderedLength > 0) folders.add(folder);
    }
  }
  return [...folders];
}

function readNotices(folder: string): Notice[] {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8'));
  return [
    {
      name: `${name} ${version}`,
      license: typeof license === 'string' ? license : 'none',
      source: `https://www.npmjs.com/package/${name}/v/${version}`,
      texts: texts.length > 0 ? texts : readLicenseSection(join(folder, 'README.md')),
    },
    ...(embedded[name] ?? []).map((part) => ({
      ...part,
      name: `${part.name} (in ${name} ${version})`,
      texts: [readFileSync(join(import.meta.dirname, 'licenses', `${part.name}.txt`), 'utf8')],
    })),
  ];
}

/** Returns the license text at the end of a README, if it has the permission that is to be reproduced. */
function readLicenseSection(path: string): string[] {
  const readme = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [, text = ''] = /^#+ *licen[cs]e\s*\n([^#]*)$/im.exec(readme) ?? [];
  return /copyright/i.test(text) && /permission/i.test(text) ? [text] : [];
}

/** Returns whether allowed licenses satisfy an SPDX expression. One with nested parentheses is refused. */
function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\(([^()]*)\)$/, '$1');
  if (/[()]/.test(plain)) return false;
  return plain
    .split(/ OR /)
    .some((choice) => choice.split(/ AND /).every((license) => allowed.includes(license)));
}

function formatNotices(notices: readonly Notice[]): string {
  const sortedNotices = notices.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const parts = sortedNotices.map(({ name, license, source, texts }) => {
    const head = `${'-'.repeat(80)}\n${name}\nLicense: ${license}\nSource: ${source}\n`;
    return [head, ...texts.map((text) => `${text.trim()}\n`)].join('\n');
  });
  const list = sortedNotices.map(({ name, license }) => `  ${name}: ${license}`).join('\n');
  return [
    'Third-party licenses of kith',
    '',
    'The program in dist/ contains the code listed here, each part under its own license. Its source code is available',
    'at the address given with each.',
    '',
    `${list}\n`,
    ...parts,
  ].join('\n');
}
