import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { hashSecret, parseBearerToken } from '../../src/http/bearer-token.ts';
import { loadSqlite } from '../../src/sqlite/engine.ts';
import { isDatabaseUrl } from '../../src/values/database-url.ts';

/**
 * `bare-pages.ts LOCATION` sends pages of 100 contacts with their custom fields: `/v1/contacts?after=ROW`. It checks the
 * key, and runs one prepared statement, which builds the JSON. The address is printed on stderr.
 */
const [location = ''] = process.argv.slice(2);

const checkKey = 'select id from api_key where revoked_at is null and sha256 = ';

/** Builds the statement for a page. `pad` formats a number with a number of digits. */
const buildPage = (
  object: string,
  array: string,
  objectOf: string,
  pad: (column: string, digits: number) => string,
) =>
  `select ${array}(${object}(
      'id', ${pad('c.id', 6)},
      'first_name', first_name,
      'last_name', last_name,
      'emails', (select ${array}(email) from (select email from contact_email where contact_id = c.id order by position) as e),
      'phone_numbers', (select ${array}(number) from (select number from contact_phone where contact_id = c.id order by position) as p),
      'organization_id', ${pad('organization_id', 6)},
      'custom_fields', (select ${objectOf}(${pad('f.id', 6)}, ${object}('name', f.name, 'data_type', f.data_type, 'value', VALUE))
        from custom_field as f left join contact_value as v on v.field_id = f.id and v.record_id = c.id where f.model = 'contact'),
      'created_at', ${pad('c.created_at', 24)},
      'updated_at', ${pad('c.updated_at', 24)})) as json
    from (select * from contact where id > FIRST order by id limit 100) as c`;

type ReadPage = (hash: string, after: number) => Promise<string | undefined>;

function openSqlite(): ReadPage {
  const database = new (loadSqlite())(location, { readOnly: true });
  const text = buildPage(
    'json_object',
    'json_group_array',
    'json_group_object',
    (column, digits) => `printf('%0${digits}d', ${column})`,
  );
  const prepared = {
    key: database.prepare(`${checkKey}?`),
    page: database.prepare(text.replace('VALUE', 'json(v.value)').replace('FIRST', '?')),
    database, // garbage collection would close it
  };
  return async (hash, after) => {
    if (!prepared.key.get(hash)) return undefined;
    const page = prepared.page.get(after) as { json: string };
    return `{"data":${page.json}}`;
  };
}

function openPostgres(): ReadPage {
  const pool = new pg.Pool({ connectionString: location, max: 10, types: { getTypeParser: () => String } });
  const text = buildPage(
    'json_build_object',
    'json_agg',
    'json_object_agg',
    (column, digits) => `lpad(${column}::text, ${digits}, '0')`,
  );
  const page = { name: 'page', text: text.replace('VALUE', 'v.value').replace('FIRST', '$1') };
  return async (hash, after) => {
    const { rows } = await pool.query({ name: 'key', text: `${checkKey}$1`, values: [hash] });
    if (rows.length === 0) return undefined;
    const result = await pool.query<{ json: string }>({ ...page, values: [after] });
    return `{"data":${result.rows[0]?.json}}`;
  };
}

const readPage = isDatabaseUrl(location) ? openPostgres() : openSqlite();

async function respond({ url = '', headers }: IncomingMessage): Promise<string | undefined> {
  const [, after = '0'] = /[?&]after=(\d+)/.exec(url) ?? [];
  return readPage(hashSecret(parseBearerToken(headers.authorization) ?? ''), Number(after));
}

const server = createServer(async (request, response) => {
  const body = await respond(request);
  if (body === undefined) return void response.writeHead(401).end();
  const bytes = Buffer.from(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
