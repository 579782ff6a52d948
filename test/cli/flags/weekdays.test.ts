import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';

const now = new Date('2026-11-25T12:00:00Z'); // a Wednesday

test.each([
  ['entries list "Sales pipeline" --due-before monday --tz UTC', '--due-before: monday is 2026-11-30.'],
  ['entries list "Sales pipeline" --updated-after friday --tz UTC', '--updated-after: friday is 2026-11-20.'],
  ['notes list --created-after monday --tz UTC', '--created-after: monday is 2026-11-23.'],
  ['events list --starts-after monday --tz UTC', '--starts-after: monday is 2026-11-23.'],
])('a terminal says which day a weekday is: %s', async (line, note) => {
  const kith = createDemoMachine();
  expect((await kith(line, { now, terminal: 80 })).err).toContain(`kith: ${note}\n`);
  expect((await kith(`${line} --quiet`, { now, terminal: 80 })).err).not.toContain(note);
  expect((await kith(line, { now })).err).not.toContain(note);
});

test('--due-before monday selects up to the coming Monday', async () => {
  const kith = createDemoMachine();
  const list = async (when: string) =>
    (await kith(`entries list "Sales pipeline" --due-before ${when} --tz UTC --ids-only`, { now })).out;
  expect(await list('monday')).toBe(await list('2026-11-30'));
});

test('today --date monday shows the coming Monday', async () => {
  const { out } = await createDemoMachine()('today --date monday --user a@x.example --tz UTC --jq .date', {
    now,
  });
  expect(out).toBe('2026-11-30\n');
});

test.each([
  ['--last-week', '--starts-after 2026-11-16 --starts-before 2026-11-23'],
  ['--this-month', '--starts-after 2026-11-01 --starts-before 2026-12-01'],
])('events list %s is %s', async (flag, range) => {
  const kith = createDemoMachine();
  const list = async (flags: string) => (await kith(`events list ${flags} --tz UTC --ids-only`, { now })).out;
  expect(await list(flag)).toBe(await list(range));
  expect(await list(flag)).not.toBe('');
  expect((await kith(`events list ${flag} --today`, { now })).code).toBe(2);
});

test.each([
  ['events list --after 2026-11-01', '--starts-after'],
  ['contacts list --after monday', '--where'],
])('%s points to the flag for a time', async (line, flag) => {
  expect(await createDemoMachine()(line)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`hint: For a time, use ${flag}: kith help scripting\n`),
  });
});
