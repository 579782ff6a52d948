import { expect, test } from 'vitest';
import { undoing } from '../../src/sync/undo.ts';
import { clientOf } from '../client/loopback.ts';
import { serviceInFront } from './service-in-front.ts';

const names = (first_name: string, last_name: string) => ({ first_name, last_name });

test.each([
  ['as the import left it', names('Two', 'L'), 'undone', 'One'],
  ['as somebody has left it since', names('Three', 'L'), 'changed', 'Three'],
  ['as it was before', names('One', 'L'), 'already', 'One'],
])('a contact that stands %s', async (_, now, became, left) => {
  const { give, url } = await serviceInFront();
  const { id } = await give<{ id: string }>('POST /v1/contacts', now);
  const undo = undoing(clientOf(url).client, new Set(), false);
  // A report may tell the members in another order than the service does.
  const done = {
    what: 'contact',
    id,
    before: names('One', 'L'),
    after: { last_name: 'L', first_name: 'Two' },
  } as const;
  expect(await undo(done)).toMatchObject({ became });
  const { first_name } = await give<{ first_name: string }>(`GET /v1/contacts/${id}`);
  expect(first_name).toBe(left);
});
