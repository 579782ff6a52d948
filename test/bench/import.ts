import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureRatios } from './measure.ts';
import { connectTo, runNode, runProgram, serveWorkspace, withService } from './processes.ts';
import type { Bench, Section } from './report.ts';

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

/** Writes a CSV file of contacts. The batch makes their email addresses different from those of other files. */
function writeContacts(file: string, batch: number): void {
  const formatRow = (_: unknown, index: number) =>
    `p${index}.${batch}@acme.example,First ${index},Last ${index}\r\n`;
  writeFileSync(file, `email,first_name,last_name\r\n${Array.from({ length: rows }, formatRow).join('')}`);
}

/** Measures how many times longer a shell loop takes than an import, for new and for existing contacts. */
export async function measureImport(bench: Bench): Promise<Section> {
  const { folder, builds } = bench;
  let files = 0;
  const writeNew = () => {
    files += 1;
    const file = join(folder, `people-${files}.csv`);
    writeContacts(file, files);
    return file;
  };
  return withService(serveWorkspace(bench, builds[0], join(folder, 'import.sqlite')), async (service) => {
    const env = connectTo(service, bench.env);
    const runImport = (file: string) =>
      runNode([builds[0].entry, 'contacts', 'import', file, '--quiet'], env);
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
