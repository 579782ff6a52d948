import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

const [day, october] = [86_400, Date.parse('2026-10-01T00:00:00Z') / 1000];

/** Starts a service that always lists a meeting on October 2nd. */
async function startUnfilteredService() {
  const meeting = { id: 'm1', title: 'Kick-off', start_at: '2026-10-02T00:00:00.500+00:00', recordings: [] };
  const { url } = await startTestService((_, response) => sendJson(response, 200, { data: [meeting] }));
  return { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
}

test.each([
  [`events list --starts-after ${october + 2 * day}`, 'starts_after'],
  [`events list --starts-before ${october} --json`, 'starts_before'],
  [`events list --starts-before ${october} --format ndjson`, 'starts_before'],
  [`events grep ice --starts-after ${october + 2 * day}`, 'starts_after'],
])('%s exits with 1 if the service ignores the filter', async (line, filter) => {
  const { code, out, err } = await createMachine()(line, { env: await startUnfilteredService() });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(`The service ignored the filter ${filter}: it returned meeting`);
});

test.each([
  `--starts-after ${october + day}`,
  `--starts-before ${october + day}`,
  `--starts-after ${october} --starts-before ${october + 2 * day}`,
  `--updated-after ${october + 90 * day}`,
])('events list %s includes a meeting that starts within that second', async (flags) => {
  const { code, out } = await createMachine()(`events list ${flags} --no-header`, {
    env: await startUnfilteredService(),
  });
  expect({ code, out: out.slice(0, 2) }).toEqual({ code: 0, out: 'm1' });
});

test('accepts the filtered lists of a local workspace', async () => {
  const kith = createDemoMachine();
  const startTimes = JSON.parse((await kith('events list --all --jq map(.start_at)')).out) as string[];
  const middleTime = Date.parse(startTimes[18] ?? '') / 1000;
  const count = async (flag: string) =>
    Number((await kith(`events list --all ${flag} ${middleTime} --jq length`)).out);
  expect((await count('--starts-after')) + (await count('--starts-before'))).toBe(startTimes.length);
});
