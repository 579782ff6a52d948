import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../package.json';
import { buildCommandPages, buildGuidePages } from './pages.ts';

// npm run build writes the manual beside the program. Its date is that of the version.
const changes = readFileSync('CHANGELOG.md', 'utf8');
const [, date] = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\((\\S+)\\)$`, 'm').exec(changes) ?? [];
if (date === undefined) throw new Error(`CHANGELOG.md has no line "## ${version} (YYYY-MM-DD)".`);
mkdirSync('dist/man', { recursive: true });
const readPage = (name: string) => readFileSync(join('docs', `${name}.md`), 'utf8');
const pages = { ...buildGuidePages(date, readPage), ...(await buildCommandPages(date)) };
for (const [file, text] of Object.entries(pages)) writeFileSync(join('dist/man', file), text);
