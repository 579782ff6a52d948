import { cpus, loadavg, type } from 'node:os';

/** An installed or built kith that is measured. */
export interface Build {
  readonly name: string;
  /** Path of `bin/kith.js`. */
  readonly entry: string;
}

/** The input of every part of the benchmark. */
export interface Bench {
  /** A temporary folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** This checkout and, in a comparison, another one. */
  readonly builds: readonly [Build, ...Build[]];
}

/** A table with the sentences that explain it. The first column holds the names. */
export interface Table {
  readonly text: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One part of the benchmark's results. */
export interface Section {
  readonly title: string;
  readonly tables: readonly Table[];
}

/** Returns the columns of `measureRatios`: one for each build and, for two builds, one for their ratio. */
export function nameRatioColumns({ builds: [build, other] }: Bench, unit: string): string[] {
  if (!other) return [unit];
  return [`${build.name}, ${unit}`, `${other.name}, ${unit}`, `${build.name} / ${other.name}`];
}

/** Formats a section as Markdown. It names the machine, because sections may be measured on different days. */
export function formatSection({ title, tables }: Section): string {
  return `## ${title}\n\nMeasured: ${describeMachine()}.\n\n${tables.map(formatTable).join('\n')}`;
}

function formatTable({ text, columns, rows }: Table): string {
  const formatRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const rule = columns.map((_, index) => (index === 0 ? '---' : '--:'));
  const lines = [formatRow(columns), `|${rule.join('|')}|\n`, ...rows.map(formatRow)];
  return `${text}\n\n${lines.join('')}`;
}

/** Describes when, where and with which Node.js the benchmark runs, and how busy the machine is. */
function describeMachine(now = new Date()): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  const count = processors.length === 1 ? '1 core' : `${processors.length} cores`;
  return `${now.toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${type()}, ${count} (${model}), load average ${loadavg()[2]?.toFixed(0)}`;
}

/** Replaces the section of a page that has the title of `section`, or adds it at the end. */
export function updatePage(page: string, section: Section): string {
  const [introduction = '', ...sections] = page.split(/^(?=## )/m);
  const index = sections.findIndex((text) => text.startsWith(`## ${section.title}\n`));
  sections.splice(index < 0 ? sections.length : index, 1, formatSection(section));
  return `${[introduction, ...sections].map((text) => text.trimEnd()).join('\n\n')}\n`;
}

/** Formats the whole page, docs/performance.md. */
export function formatPage(sections: readonly Section[]): string {
  return `# Performance

How fast kith is, compared with the simplest program that does the same work on the same machine. \`npm run bench\` measures every part in about half an hour, and writes this page. \`npm run bench start list\` prints these parts; \`npm run bench update start list\` updates their sections.

- A **ratio** compares kith with a bare program. The two run alternately on the same data, so that a busy machine slows both. At 2.00, kith takes twice as long.
- A cell has the **median** and, in parentheses, the quartiles.
- Times are those of whole processes. Memory is the peak of the kith process (\`VmHWM\` on Linux).
- \`npm run bench -- compare PATH\` compares two checkouts in one run. Claims about a change come from there, because the speed of a machine changes.
- [Which optimizations stay](decisions/optimizations.md) lists what each of them gains.

${sections.map(formatSection).join('\n')}`;
}
