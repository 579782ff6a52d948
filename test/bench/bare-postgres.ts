import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { hashSecret } from '../../src/http/bearer-token.ts';
import { ids } from '../../src/service/db/ids.ts';
import { openWorkspace } from '../../src/service/db/open.ts';
import { createService } from '../../src/service/dispatch.ts';
import { createKey, findValidKey } from '../../src/service/http/keys.ts';
import { getEmail } from './workspaces.ts';

/**
 * `bare-postgres.ts URL` is a handler on `node:http` and a pool of `pg`. For each request it runs the statements that
 * kith runs, in the same transactions, and sends the JSON that PostgreSQL returns: it validates and converts nothing. The
 * statements are recorded when it starts, while kith's own service handles one request of each kind in this process. The
 * address is printed on stderr.
 */
const [url = ''] = process.argv.slice(2);

type Value = unknown;

/** A recorded statement. */
interface Statement {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly Value[];
}

/** The values of a request that was recorded, with those that replace them in the statements of another one. */
type Replacements = Map<Value, Value>;

/** Records the statements that `work` runs on any connection. */
async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const { prototype } = pg.Client;
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config] = args as [string | { name?: string; text: string; values: Value[] }];
    if (typeof config === 'string') statements.push({ name: undefined, text: config, values: [] });
    else statements.push({ name: config.name, text: config.text, values: config.values });
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return statements;
}

/** The row of the sample contact, and the offset of the sample page: numbers that no other value has. */
const row = 7531;
const after = 6001;

const sample = {
  first_name: 'Sample first',
  last_name: `Sample last ${process.pid}`, // an update with the same name would change nothing
  emails: [`sample.${process.pid}@example.com`],
  phone_numbers: ['+12012999999'],
};

/** Returns the values in the statements of a page: its block of 512 ids, and its offset in the block. */
function locatePage(offset: number): Value[] {
  const block = Math.floor((offset + 1) / 512);
  return [block * 512, offset + 1 - Math.max(1, block * 512)];
}

/** Records the statements of one request of each kind. `id` is the row that they read or create. */
async function recordRequests() {
  const db = await openWorkspace(url);
  const log = (text: string) => {
    throw new Error(text);
  };
  const { key } = await createKey(db, { name: 'bare', readOnly: false }, new Date());
  const service = createService({ db, now: () => new Date(), log });
  const record = async (method: string, path: string, query: Record<string, string> = {}, body?: unknown) => {
    let result: { id?: string } = {};
    const statements = await recordStatements(async () => {
      await findValidKey(db, hashSecret(key));
      const response = await service({ method, path, query: Object.entries(query), body });
      if (response.status > 299) throw new Error(`${method} ${path}: status ${response.status}`);
      result = response.body as typeof result;
    });
    return { statements, id: ids.contact.decode(result.id ?? '') ?? row };
  };
  const path = `/v1/contacts/${ids.contact.encode(row)}`;
  const requests = {
    contact: await record('GET', path),
    email: await record('GET', '/v1/contacts', { email: getEmail(row) }),
    page: await record('GET', '/v1/contacts', { first: '100', after: String(after) }),
    create: await record('POST', '/v1/contacts', {}, sample),
    update: await record('PATCH', path, {}, { last_name: sample.last_name }),
  };
  await db.close();
  return requests;
}

const recorded = await recordRequests();
const pool = new pg.Pool({ connectionString: url, max: 10, types: { getTypeParser: () => String } });

/** The statement whose result has the row for the statements after it. */
const givesId = /^insert into contact \(/;

/** Runs the statements of a request, and returns the JSON of the last select. */
async function replay(
  { statements, id }: (typeof recorded)['contact'],
  values: Replacements,
): Promise<string> {
  let client: pg.PoolClient | undefined;
  let json = '';
  for (const statement of statements) {
    if (statement.text.startsWith('begin')) client = await pool.connect();
    const parameters = statement.values.map((value) => {
      if (Array.isArray(value)) return value.map((each) => values.get(each) ?? each);
      return values.get(value) ?? value;
    });
    const { rows } = await (client ?? pool).query({ ...statement, values: parameters });
    const [first] = rows as Record<string, string>[];
    if (first?.records !== undefined) json = first.records;
    if (givesId.test(statement.text)) values.set(id, first?.id);
    if (statement.text === 'commit') {
      client?.release();
      client = undefined;
    }
  }
  return json;
}

async function readBody(request: IncomingMessage): Promise<typeof sample> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

/** `/ROW`, `/?email=EMAIL` and `/?after=OFFSET` read; POST and PATCH write a contact. */
async function respond(request: IncomingMessage): Promise<string> {
  const { method, url = '' } = request;
  const [, path = '', name, value = ''] = /^\/(\d*)(?:\?(\w+)=(.*))?$/.exec(url) ?? [];
  if (method === 'POST') {
    const { first_name, last_name, emails, phone_numbers } = await readBody(request);
    const [email] = emails;
    const [number = ''] = phone_numbers;
    return replay(
      recorded.create,
      new Map([
        [sample.first_name, first_name],
        [sample.last_name, last_name],
        [sample.emails[0], email],
        [sample.phone_numbers[0], number],
        [sample.phone_numbers[0]?.slice(2), number.slice(2)],
      ]),
    );
  }
  if (method === 'PATCH') {
    const { last_name } = await readBody(request);
    return replay(
      recorded.update,
      new Map<Value, Value>([
        [row, Number(path)],
        [sample.last_name, last_name],
      ]),
    );
  }
  if (name === 'email') {
    return replay(recorded.email, new Map<Value, Value>([[getEmail(row), value]]));
  }
  if (name === 'after') {
    const values = locatePage(Number(value));
    return replay(recorded.page, new Map(locatePage(after).map((each, index) => [each, values[index]])));
  }
  return replay(recorded.contact, new Map<Value, Value>([[row, Number(path)]]));
}

const server = createServer(async (request, response) => {
  const body = await respond(request);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
