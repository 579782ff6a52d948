import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { requireProgram } from '../../process/programs.ts';
import { createSignedInHome, runKith } from '../../support/binary.ts';
import {
  createDemoMachine,
  createLocalMachine,
  createMachine,
  createTemporaryFolder,
} from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';
import { openInChromium } from './chromium.ts';

const oddNames = [
  '<script>document.title = "changed"</script>',
  `"Quotes" & 'more' <img src=https://evil.example/x.png onerror=alert(1)>`,
  'شركة الشرق الأوسط للتبريد والتخزين (فرع دبي) 2026',
  'The International Consolidated Refrigeration and Cold Chain Logistics Company of Greater Rotterdam B.V.',
  'W'.repeat(120),
];

/** A process with an organization for each odd name, and more organizations up to a count. */
async function createProcess(count: number) {
  const organizations = Array.from({ length: count }, (_, index) => ({
    id: `o${index}`,
    name: oddNames[index] ?? `Organization ${index}`,
  }));
  const { env } = await startRecordingService({
    '/v1/lists/p1': {
      id: 'p1',
      name: 'Pipeline <b>&amp;</b>',
      process: true,
      statuses: [{ name: 'Open', type: 'active' }],
    },
    '/v1/organizations': { data: organizations },
    '/v1/lists/p1/entries': {
      data: organizations.map(({ id }, index) => ({
        id: `e${index}`,
        status: 'Open',
        entryable_id: id,
        entryable_type: 'Organization',
        one_time_value_cents: 100_000 * (count - index),
        recurring_value_cents: 5000,
        recurring_value_period: 'monthly',
      })),
    },
  });
  return (line: string) => createMachine()(line, { env });
}

const createFile = () => join(createTemporaryFolder(), 'report.html');

test('--html writes a page with the filters, the time, the zone and the numbers', async () => {
  const kith = createDemoMachine();
  const file = createFile();
  const line = `lists report "Sales pipeline" --organization 한빛물류 --updated-after 2026-05-01 --tz Asia/Seoul --html ${file}`;
  const now = new Date('2026-11-27T18:00:00Z');
  expect(await kith(line, { now, terminal: 80 })).toEqual({
    code: 0,
    out: '',
    err: expect.stringMatching(/^kith: Wrote the report to\s+\S+report\.html\.\n$/),
  });
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('<title>Sales pipeline by Stage</title>');
  expect(page).toContain(
    '<time datetime="2026-11-27T18:00:00.000Z">28 November 2026 at 03:00</time> (Asia/Seoul)',
  );
  expect(page).toContain('<li>Organization <b><bdi>한빛물류</bdi></b></li>');
  expect(page).toContain('<li>Updated after <b><bdi>2026-05-01</bdi></b></li>');
  expect(page).toMatch(
    /<tr class="won"><th scope="row"><bdi>Won<\/bdi><\/th><td>\d+ <small>[\d.]+%<\/small><i><b style="width:[\d.]+%"><\/b><\/i><\/td><td>[\d,]+\.\d\d</,
  );
});

test.each([
  ['Foo/Bar', 'UTC'],
  ['KST-9', 'Etc/GMT-9'],
  [
    'CET-1CEST,M3.5.0,M10.5.0/3',
    'UTC',
    'kith: TZ=CET-1CEST,M3.5.0,M10.5.0/3 is not a known time zone; kith uses UTC. Use a name such as TZ=Europe/Berlin.\n',
  ],
])('with TZ=%s a page names the zone %s', async (TZ, zone, warning = '') => {
  const { env } = createSignedInHome({ TZ });
  const { code, out, err } = await runKith(['lists', 'report', 'Sales pipeline', '--html', '-'], { env });
  expect({ code, err }).toEqual({ code: 0, err: warning });
  expect(out).toContain(`</time> (${zone})</li>`);
});

test('no text of the service becomes markup, and the page names no other resource', async () => {
  const kith = await createProcess(8);
  const { code, out } = await kith('lists report p1 --by organization --html -');
  expect(code).toBe(0);
  expect(out).toContain('&lt;script&gt;document.title');
  expect(out).not.toMatch(/<(script|img|b>|link|iframe|object)|\bsrc=[^h]|url\(|@import|\bon\w+="/);
  expect(out).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
});

test('the page replaces a file only when it is complete, and prints the rows if a format is set', async () => {
  const kith = createDemoMachine();
  const file = createFile();
  writeFileSync(file, 'old');
  expect((await kith(`lists report "Sales pipeline" --by nothing --html ${file}`)).code).toBe(2);
  expect(readFileSync(file, 'utf8')).toBe('old');
  const privateFile = createFile();
  await kith(`lists report "Sales pipeline" --html ${privateFile}`);
  expect(statSync(privateFile).mode & 0o777).toBe(0o600);
  const { out } = await kith(`lists report "Sales pipeline" --format csv --html ${file}`);
  expect(out).toBe((await kith('lists report "Sales pipeline" --format csv')).out);
  expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  expect(readdirSync(join(file, '..'))).toEqual(['report.html']);
});

test('a page never contains an API key that was typed by mistake', async () => {
  const kith = await createProcess(1);
  const file = createFile();
  expect((await kith(`lists report p1 --where "id != key-for-tests" --html ${file}`)).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(/<li>Where <b><bdi>id != \[[^\]]+\]<\/bdi>/);
});

test('fails before reading anything if the page cannot be written', async () => {
  const { env, requests } = await startRecordingService();
  const folder = join(createTemporaryFolder(), 'missing');
  const result = await createMachine()(`lists report l1 --html ${folder}/report.html`, { env });
  expect(result).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Cannot write') });
  expect(requests.filter(({ url }) => url.includes('/entries'))).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ['--html - --format csv', '--html - and a flag for another format'],
  ['--html r.html --output r.csv', '--html and --output'],
])('lists report %s ends with 2', async (flags, names) => {
  const file = flags.replaceAll(' r.', ` ${createTemporaryFolder()}/r.`);
  expect(await createDemoMachine()(`lists report "Sales pipeline" ${file}`)).toEqual({
    code: 2,
    out: '',
    err: `kith: ${names} cannot be used together.\n`,
  });
});

test('a report without entries is a page without tables', async () => {
  const kith = createLocalMachine(createTemporaryFolder());
  await kith('lists create Empty --process --entry-type Contact --identifier E --no-duplicates');
  const { code, out } = await kith('lists report Empty --by assignee --html -');
  expect(code).toBe(0);
  expect(out).not.toMatch(/<tbody|NaN|Infinity/);
});

test('lists the largest entries with names, once, and says how many', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('lists report "Sales pipeline" --html -');
  const cells = ['DEAL-7', 'Kühlhaus Nordwind GmbH', 'Lost', 'rui', '2026-06-30', '28,140.00'];
  const row = cells.map((cell) => `<td><bdi>${cell}</bdi></td>`).join('');
  expect(out).toContain(`<caption id="entries">Entries</caption>`);
  expect(out).toContain(`<tbody>\n<tr>${row}</tr>`);
  expect(out.match(/<bdi>DEAL-/g)).toHaveLength(80);
  const figures = out.match(/<dd>[^<]*/g)?.map((text) => text.slice(4)) ?? [];
  expect(figures.filter((figure) => out.split(`>${figure}<`).length !== 2)).toEqual([]);
  const large = await (await createProcess(450))('lists report p1 --html -');
  expect(large.out).toContain('<caption id="entries">The 200 largest of all entries</caption>');
  const values = Array.from(
    large.out.matchAll(/<td><bdi>([\d,]+)\.00<\/bdi><\/td><\/tr>/g),
    ([, value]) => value,
  );
  expect([values.length, values[0], values[199]]).toEqual([200, '450,600', '251,600']);
});

test('Chromium shows a page of 200 rows in light and dark, on a narrow screen and on paper', async (context) => {
  requireProgram('chromium')(context);
  const kith = await createProcess(200);
  const file = createFile();
  expect((await kith(`lists report p1 --by organization --html ${file}`)).code).toBe(0);
  const page = await openInChromium(file);
  // The text of a name is shown, and none of it has run.
  expect(await page.evaluate('document.querySelector("tbody bdi").textContent')).toBe(oddNames[0]);
  expect(await page.evaluate('document.title')).toBe('Pipeline <b>&amp;</b> by Organization');
  expect(await page.evaluate('document.querySelectorAll("tbody tr").length')).toBe(400);
  for (const width of [400, 1280]) {
    await page.setWidth(width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await page.setMedia('screen', 'light');
  const light = await page.screenshot();
  await page.setMedia('screen', 'dark');
  const dark = await page.screenshot();
  expect(dark.equals(light)).toBe(false);
  const readColor = 'getComputedStyle(document.body).backgroundColor';
  expect(await page.evaluate(readColor)).toBe('rgb(21, 24, 28)');
  await page.setMedia('print', 'dark');
  expect(await page.evaluate(readColor)).toBe('rgb(255, 255, 255)');
  const pages = (await page.print()).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
  expect(pages.length).toBeGreaterThan(4);
  expect(pages.length).toBeLessThan(16);
  expect(page.listRequests()).toEqual([pathToFileURL(file).href]);
  expect(page.listErrors()).toEqual([]);
});
