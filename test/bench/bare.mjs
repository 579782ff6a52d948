// What an export cannot do without: it asks for the events and downloads every recording, four at a time, and throws
// away what it gets. `bare.mjs URL KEY`
import { Agent, request } from 'undici';

const [, , base, key] = process.argv;
const options = {
  dispatcher: new Agent(),
  headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
};
const get = async (path) => {
  const { statusCode, body } = await request(base + path, options);
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
  return body;
};

const ids = [];
for (let after = 0; ; ) {
  const { data, pagination } = await (await get(`/v1/calendar_events?first=100&after=${after}`)).json();
  for (const { recordings } of data) for (const { id } of recordings) ids.push(id);
  if (!pagination.has_next_page) break;
  after = pagination.end_cursor;
}
const left = ids.values();
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (const id of left) for await (const _ of await get(`/v1/recordings/${id}`));
  }),
);
process.exit(0);
