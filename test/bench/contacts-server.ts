import { createServer } from 'node:http';

/**
 * A service of so many contacts that answers from memory: `contacts-server.ts CONTACTS`. A page is made once and kept,
 * so that what is measured is who reads it. It says its address on stderr.
 */
const contacts = Number(process.argv[2]);
const at = '2026-05-04T00:00:00.000Z';
const pages = new Map<string, Buffer>();

const contact = (index: number) => ({
  id: `c${index}`,
  first_name: `First ${index}`,
  last_name: `Last ${index}`,
  emails: [`person.${index}@example.com`],
  phone_numbers: [`+1${2_012_000_000 + index}`],
  organization_id: null,
  custom_fields: { Region: 'EMEA', Score: index / 8 },
  created_at: at,
  updated_at: at,
});

function pageOf(first: number, after: number): Buffer {
  const end_cursor = Math.min(contacts, after + first);
  const data = Array.from({ length: end_cursor - after }, (_, index) => contact(after + index));
  const pagination = { end_cursor, has_next_page: end_cursor < contacts, total_count: contacts };
  return Buffer.from(JSON.stringify({ data, pagination }));
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://x');
  const [first, after] = [Number(searchParams.get('first')), Number(searchParams.get('after'))];
  const body = pages.get(`${first} ${after}`) ?? pageOf(first, after);
  pages.set(`${first} ${after}`, body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
