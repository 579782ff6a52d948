import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureRatios } from './measure.ts';
import { connectTo, runNode, runProgram, serveWorkspace, withService } from './processes.ts';
import type { Bench, Build, Section } from './report.ts';

const rows = 200;
const rounds = 3;

/** The work of a script without kith: for each row it looks the contact up, then creates or updates it. */
const loop = `
tail -n +2 "$1" | tr -d '\\r' | while IFS=, read -r email first last; do
  id=$(curl -s -H "Authorization: Bearer $KITH_API_KEY" --get --data-urlencode "email=$email" "$KITH_BASE_URL/v1/contacts" | jq -r '.data[0].id // empty')
  body=$(jq -nc --arg e "$email" --arg f "$first" --arg l "$last" '{emails: [$e], first_name: $f, last_name: $l}')
  if [ -n "$id" ]; then method=PATCH; else method=POST; fi
  curl -sf -o /dev/null -X "$method" -H "Authorization: Bearer $KITH_API_KEY" -H 'Content-Type: application/json' \\
    --data "$body" "$KITH_BASE_URL/v1/contacts\${id:+/$id}" || exit 1
done`;

/** Returns the command line that imports contacts. */
export const buildImportArgs = ({ entry }: Build, file: string): string[] => [
  entry,
  'contacts',
  'import',
  file,
  '--quiet',
];

/** Writes a CSV file of contacts. The batch makes their email addresses different from those of other files. */
export function writeContacts(file: string, count: number, batch: string): void {
  const formatRow = (index: number) => `p${index}.${batch}@acme.example,First ${index},Last ${index}\r\n`;
  writeFileSync(file, 'email,first_name,last_name\r\n');
  const chunk = 10_000; // a file in one piece would add to the memory of the benchmark
  for (let start = 0; start < count; start += chunk) {
    const length = Math.min(chunk, count - start);
    appendFileSync(file, Array.from({ length }, (_, index) => formatRow(start + index)).join(''));
  }
}

/** Measures how many times longer a shell loop takes than an import, for new and for existing contacts. */
export async function measureImport(bench: Bench): Promise<Section> {
  const { folder, builds } = bench;
  let files = 0;
  const writeNew = () => {
    files += 1;
    const file = join(folder, `people-${files}.csv`);
    writeContacts(file, rows, String(files));
    return file;
  };
  return withService(serveWorkspace(bench, builds[0], join(folder, 'import.sqlite')), async (service) => {
    const env = connectTo(service, bench.env);
    const runImport = (file: string) => runNode(buildImportArgs(builds[0], file), env);
    const compare = (getFile: () => string) =>
      measureRatios(
        { run: () => runImport(getFile()) },
        [{ run: () => runProgram('bash', ['-c', loop, 'loop', getFile()], env) }],
        rounds,
        1,
      );
    const existing = writeNew();
    await runImport(existing);
    const table = {
      text: `A shell loop of \`curl\` and \`jq\` that looks up each of ${rows} contacts and then creates or updates it, compared with \`kith contacts import\` (${rounds} runs against \`kith serve\`).`,
      columns: ['rows', '`curl` and `jq`, ratio to kith'],
      rows: [
        ['new contacts', ...(await compare(writeNew))],
        ['existing contacts', ...(await compare(() => existing))],
      ],
    };
    return { title: 'Import', tables: [table] };
  });
}
