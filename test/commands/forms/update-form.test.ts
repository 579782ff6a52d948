import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';

const terminal = { terminal: 100, env: { NO_COLOR: '1' } };
const list = 'vy7gy3';
const deal = 'm7lwpy';

test('entries update without arguments asks for the list, the entry, the fields and their values', async () => {
  const kith = createDemoMachine();
  const fields = ['status', 'one_time_value_cents', 'list_fields.Rooms'];
  const { code, err } = await kith('entries update', {
    ...terminal,
    answers: [list, deal, fields, 'Lost', '1200.50', '3', true],
  });
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('Updated entry DEAL-1 (m7lwpy): status,'),
  });
  expect(err).toContain(
    'Which fields of entry DEAL-1 (m7lwpy) do you want to change?\nStatus of the process (Won)\n',
  );
  expect(err).toContain('Changes to entry DEAL-1 (m7lwpy):\n');
  const { out } = await kith('entries get DEAL-1 --jq .status,.one_time_value_cents');
  expect(out).toBe('Lost\n120050\n');
});

test('entries update with a key asks for the fields, accepts references, and clears a field', async () => {
  const kith = createDemoMachine();
  const answers = [['contact_id', 'list_fields.Source', 'list_fields.Next step'], '박도현', '', '', true];
  expect((await kith('entries update DEAL-1', { ...terminal, answers })).code).toBe(0);
  const { out } = await kith(
    'entries get DEAL-1 --jq ".contact_id, ([.list_fields[] | select(.value != null)] | length)"',
  );
  expect(out).toBe('v49o47\n3\n');
});

test('asks again for a value that is not valid, and sends nothing after Escape or without a change', async () => {
  const kith = createDemoMachine();
  const answers = [['list_fields.Rooms'], 'many', '15'];
  const declined = await kith('entries update DEAL-1', { ...terminal, answers: [...answers, false] });
  expect(declined).toMatchObject({ code: 1, err: expect.stringContaining('"many" is not a number.') });
  expect((await kith('entries update DEAL-1', { ...terminal, answers })).code).toBe(130);
  const same = await kith('entries update DEAL-1', { ...terminal, answers: [['list_fields.Rooms'], '14'] });
  expect(same).toMatchObject({ code: 0, err: expect.stringContaining('Nothing changed; nothing was sent.') });
  const preview = await kith('entries update DEAL-1 -n', { ...terminal, answers });
  expect(preview).toMatchObject({
    code: 0,
    out: expect.stringContaining(`PATCH /v1/lists/${list}/entries/${deal}`),
  });
  expect(
    (await kith(['entries', 'get', 'DEAL-1', '--jq', '.list_fields[] | select(.name == "Rooms").value'])).out,
  ).toBe('14\n');
});

test.each([
  ['entries update', 'Missing required argument: LIST'],
  ['entries update DEAL-1', 'Nothing to update. Pass at least one field flag.'],
])('without a terminal, "%s" fails: %s', async (line, problem) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
  expect((await kith(`${line} --no-input`, terminal)).code).toBe(2);
});
