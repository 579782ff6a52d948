import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ran } from './ran.ts';
import { lines, type Measured, ratios } from './ratio.ts';
import { servedFile } from './started.ts';

/** The words of a command that imports a sheet. */
export const importArgs = (sheet: string) => ['bin/kith.js', 'contacts', 'import', sheet, '--quiet'];

const rows = 500;
const rounds = 3;

/** What a script does without kith: for each row it looks the contact up, then makes or changes it. */
const loop = `
tail -n +2 "$1" | tr -d '\\r' | while IFS=, read -r email first last; do
  id=$(curl -s -H "Authorization: Bearer $KITH_API_KEY" --get --data-urlencode "email=$email" "$KITH_BASE_URL/v1/contacts" | jq -r '.data[0].id // empty')
  body=$(jq -nc --arg e "$email" --arg f "$first" --arg l "$last" '{emails: [$e], first_name: $f, last_name: $l}')
  if [ -n "$id" ]; then method=PATCH; else method=POST; fi
  curl -sf -o /dev/null -X "$method" -H "Authorization: Bearer $KITH_API_KEY" -H 'Content-Type: application/json' \\
    --data "$body" "$KITH_BASE_URL/v1/contacts\${id:+/$id}" || exit 1
done`;

/** How many times longer a loop of curl and jq takes than an import, on new rows and on rows that are there. */
export async function importing(
  folder: string,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<void> {
  const service = await servedFile(join(folder, 'import.sqlite'));
  const own = { ...env, KITH_BASE_URL: service.url, KITH_API_KEY: service.key };
  const sheets = sheetsIn(folder);
  const run = (command: string, args: readonly string[]) => ran(command, args, own);
  const kith = (name: string, sheet: () => string): Measured => ({
    name,
    run: () => run(process.execPath, importArgs(sheet())),
  });
  const looped = (name: string, sheet: () => string): Measured => ({
    name,
    run: () => run('bash', ['-c', loop, 'loop', sheet()]),
  });
  try {
    write(`Import of ${rows} rows into kith serve: how many times as long a loop of curl and jq takes\n`);
    const known = sheets();
    await run(process.execPath, importArgs(known));
    write(
      lines(await ratios(kith('kith, new rows', sheets), [looped('curl and jq, new rows', sheets)], rounds)),
    );
    const same = () => known;
    write(
      lines(
        await ratios(
          kith('kith, rows that are there', same),
          [looped('curl and jq, the same', same)],
          rounds,
        ),
      ),
    );
  } finally {
    service.child.kill();
  }
}

/** Gives sheets of people whom no sheet before had. */
function sheetsIn(folder: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    const file = join(folder, `people-${count}.csv`);
    writeSheet(file, rows, `${count}`);
    return file;
  };
}

/** Writes a sheet of so many people, whose emails tell which sheet it is. */
export function writeSheet(file: string, people: number, sheet: string): void {
  const rowOf = (index: number) => `p${index}.${sheet}@acme.example,First ${index},Last ${index}\r\n`;
  writeFileSync(file, 'email,first_name,last_name\r\n');
  const atOnce = 10_000;
  for (let first = 0; first < people; first += atOnce) {
    const length = Math.min(atOnce, people - first);
    appendFileSync(file, Array.from({ length }, (_, index) => rowOf(first + index)).join(''));
  }
}
