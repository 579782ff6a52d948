import { expect } from 'vitest';
import type { Note } from '../../../src/contract/notes.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { test } from '../engines.ts';
import { anyId, createPage, laterTime, openTestWorkspace, startTimes, unknownId } from '../service.ts';

/** An organization with a note, and a later clock. */
async function noted() {
  const created = await openTestWorkspace();
  const { id: organization_id } = await created.sendOk<Organization>('POST /v1/organizations', {
    name: 'Acme',
  });
  const note = await created.sendOk<Note>('POST /v1/notes', {
    organization_id,
    body: 'Called.',
    deal_id: 'D-1',
  });
  created.clock.time = laterTime;
  return { ...created, organization_id, note, path: `/v1/notes/${note.id}` };
}

test.each([
  [{ body: 'Called.' }, { body: 'Called.', deal_id: null }],
  [
    { body: ' line 1\n한글 🧊 ', deal_id: null },
    { body: ' line 1\n한글 🧊 ', deal_id: null },
  ],
  [
    { body: 'x', deal_id: 'any text at all' },
    { body: 'x', deal_id: 'any text at all' },
  ],
])('POST %j returns the whole record', async (body, expected) => {
  const { call, sendOk } = await openTestWorkspace();
  const { id: organization_id } = await sendOk<Organization>('POST /v1/organizations', { name: 'Acme' });
  const response = await call('POST /v1/notes', { organization_id, ...body });
  const { id } = response.body as Note;
  const record = { id: anyId, organization_id, ...expected, ...startTimes };
  expect(response).toEqual({ status: 201, headers: { location: `/v1/notes/${id}` }, body: record });
  expect(await sendOk(`GET /v1/notes/${id}`)).toEqual(record);
  expect(await sendOk('GET /v1/notes')).toEqual(createPage([record]));
});

test.each([
  [{}, ['#/organization_id required', '#/body required']],
  [{ organization_id: unknownId, body: ' ' }, ['#/organization_id not_found', '#/body value']],
  [{ organization_id: null, body: null }, ['#/organization_id type', '#/body type']],
  [
    { organization_id: unknownId, text: 'x' },
    ['#/body required', '#/text unknown', '#/organization_id not_found'],
  ],
  [{ organization_id: 3, body: 'x', deal_id: 4 }, ['#/organization_id type', '#/deal_id type']],
])('POST %j returns every error', async (body, expected) => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  expect(await findFieldErrors('POST /v1/notes', body)).toEqual(expected);
  expect(await sendOk('GET /v1/notes')).toEqual(createPage([]));
});

test.each([
  [{ body: 'Wrote.' }, { body: 'Wrote.' }],
  [{ deal_id: 'D-2' }, { deal_id: 'D-2' }],
  [{ deal_id: null }, { deal_id: null }],
  [
    { body: 'Wrote.', deal_id: null },
    { body: 'Wrote.', deal_id: null },
  ],
])('PATCH %j changes only the fields that it names', async (body, changed) => {
  const { call, note, path } = await noted();
  const record = { ...note, ...changed, updated_at: laterTime };
  expect(await call(`PATCH ${path}`, body)).toEqual({ status: 200, headers: {}, body: record });
  expect((await call(`GET ${path}`)).body).toEqual(record);
});

test.each([
  [{ body: '\n' }, ['#/body value']],
  [{ body: null }, ['#/body type']],
  [{ organization_id: 'abcdef' }, ['#/organization_id unknown']],
  [{ body: 'x', created_at: 'y' }, ['#/created_at unknown']],
])('PATCH %j is rejected and changes nothing', async (body, expected) => {
  const { findFieldErrors, sendOk, note, path } = await noted();
  expect(await findFieldErrors(`PATCH ${path}`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(note);
});

test('DELETE deletes only the note', async () => {
  const { call, sendOk, organization_id, path } = await noted();
  const other = await sendOk<Note>('POST /v1/notes', { organization_id, body: 'Stays.' });
  expect(await call(`DELETE ${path}`)).toEqual({ status: 204, headers: {}, body: undefined });
  expect((await call(`DELETE ${path}`)).status).toBe(404);
  expect(await sendOk('GET /v1/notes')).toEqual(createPage([other]));
});
