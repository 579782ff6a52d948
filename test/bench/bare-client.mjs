// The least that a client must do: it sends the same requests as kith, four at a time, and discards the responses.
// `bare-client.mjs list URL KEY SIZE` reads all contacts in pages of SIZE and prints their bytes.
// `bare-client.mjs export URL KEY` lists the events and downloads every recording.
import { Agent, request } from 'undici';

const [, , work, base, key, size] = process.argv;
const options = {
  dispatcher: new Agent(),
  headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
};
const get = async (path) => {
  const { statusCode, body } = await request(base + path, options);
  if (statusCode !== 200) throw new Error(`${path}: status ${statusCode}`);
  return body;
};
const runFourAtATime = (worker) => Promise.all(Array.from({ length: 4 }, worker));

async function list() {
  const getPage = (after) => get(`/v1/contacts?first=${size}&after=${after}`);
  const { pagination } = await (await getPage(0)).json();
  let after = pagination.end_cursor;
  let bytes = 0;
  await runFourAtATime(async () => {
    while (after < pagination.total_count) {
      const page = getPage(after);
      after += Number(size);
      for await (const chunk of await page) bytes += chunk.length;
    }
  });
  process.stdout.write(`${bytes}\n`);
}

async function download() {
  const ids = [];
  for (let after = 0, hasMore = true; hasMore; ) {
    const { data, pagination } = await (await get(`/v1/calendar_events?first=100&after=${after}`)).json();
    for (const { recordings } of data) for (const { id } of recordings) ids.push(id);
    after = pagination.end_cursor;
    hasMore = pagination.has_next_page;
  }
  const rest = ids.values(); // shared by the four
  await runFourAtATime(async () => {
    for (const id of rest) for await (const _ of await get(`/v1/recordings/${id}`));
  });
}

await (work === 'list' ? list() : download());
process.exit(0);
