import { expect, test } from 'vitest';
import { Failure } from '../../../../src/contract/errors.ts';
import { sendJson } from '../../../client/loopback.ts';
import { disturb } from '../../../import/controlled-service.ts';
import { readCopiedState } from './copied-state.ts';
import { createTransferMachine } from './transfer-machine.ts';

const copy = 'workspace copy @source.sqlite team --yes';

test('names a refused record and the records that depend on it, and copies all other records', async () => {
  const { kith, control, sendOk } = await createTransferMachine();
  disturb(
    control,
    'before',
    ({ method, body }) => method === 'POST' && body.includes('"한빛물류"'),
    (response) => sendJson(response, 422, { message: 'The name is reserved.' }),
  );
  const { code, out, err } = await kith(`${copy} --format tsv`);
  expect(code).toBe(6);
  expect(out).toContain('organizations\t3\t2\t0\t0\t0\t1\t0\n');
  expect(out).toContain('entries\t6\t3\t0\t0\t3\t0\t0\n');
  expect(out).toContain('notes\t5\t2\t0\t0\t3\t0\t0\n');
  expect(err).toMatch(
    /Not copied: organization 한빛물류 \(\w+\) \(.*The name is reserved\); contact Ada Lovelace \(\w+\) \(organization_id: The record that it refers to was not copied\); entry DEAL-1 \(\w+\) \(Its organization was not copied\); /,
  );
  control.before = () => false;
  expect((await kith(copy)).code).toBe(0);
  const { data } = await sendOk<{ data: { emails: string[]; organization_id: string }[] }>(
    'GET /v1/contacts',
  );
  expect(data).toHaveLength(4);
  expect(data.find(({ emails }) => emails.length > 0)?.organization_id).toEqual(expect.any(String));
});

test('Ctrl-C says what is done, and how to continue', async () => {
  const { kith, control } = await createTransferMachine();
  const interrupt = new AbortController();
  control.after = ({ method, url }) => {
    if (method === 'POST' && url === '/v1/contacts')
      interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    return false;
  };
  const { code, err } = await kith(copy, { signal: interrupt.signal });
  expect({ code, err }).toEqual({
    code: 130,
    err: expect.stringMatching(/Interrupted\. create \d+\.\nhint: To continue, run the same command/),
  });
});

test('one undo reverts a copy that created records after those that refer to them', async () => {
  const { kith, control, takeWrites, sendOk } = await createTransferMachine();
  const before = await readCopiedState(sendOk);
  disturb(
    control,
    'before',
    ({ method, body }) => method === 'POST' && /"(Lovelace|Rooms)"/.test(body),
    (response) => sendJson(response, 422, { message: 'The name is reserved.' }),
  );
  expect((await kith(copy)).code).toBe(6);
  control.before = () => false;
  takeWrites();
  expect((await kith(copy)).code).toBe(0);
  const update = takeWrites().find((line) => line.includes('"contact_id"') && line.startsWith('PATCH')) ?? '';
  const [, entry, contact] = /^PATCH (\S+) \{"contact_id":"(\w+)"/.exec(update) ?? [];
  expect(await kith('undo --profile team --yes')).toMatchObject({ code: 0 });
  // The deletion of the contact changes the entry, whose entity tag would no longer match.
  const writes = takeWrites();
  expect(writes.indexOf(`DELETE /v1/contacts/${contact}`)).toBeGreaterThan(writes.indexOf(`DELETE ${entry}`));
  expect(await readCopiedState(sendOk)).toEqual(before);
});
