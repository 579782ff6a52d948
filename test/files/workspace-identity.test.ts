import { expect, test } from 'vitest';
import {
  compareWorkspace,
  type StoredWorkspace,
  toStoredWorkspace,
  toWorkspaceName,
  type WorkspaceIdentity,
} from '../../src/files/workspace-identity.ts';

const hosted = { place: 'https://crm.example.com/', key: 'k-1' };
const local = { place: '/data/work.sqlite', id: '4f1d' };

/** The form that every version of kith has stored. */
const storedHosted = {
  workspace: hosted.place,
  identity: { key_hash: 'BwpRiY2qk9lOdF36LPLzoadAq9DzqdH6kL8JpKhkyE4' },
};
const storedLocal = { workspace: local.place, identity: { id: '4f1d' } };

test('stores a workspace in the form of earlier versions, without its key', () => {
  expect(toStoredWorkspace(hosted)).toEqual(storedHosted);
  expect(toStoredWorkspace(local)).toEqual(storedLocal);
});

test.each<[string, StoredWorkspace, WorkspaceIdentity, string]>([
  ['the same key', storedHosted, hosted, 'same'],
  ['another key', storedHosted, { ...hosted, key: 'k-2' }, 'other_key'],
  ['another base URL', storedHosted, { ...hosted, place: 'https://other.example.com/' }, 'other'],
  ['a file instead of a service', storedHosted, local, 'other'],
  ['a moved or copied file', storedLocal, { ...local, place: '/elsewhere.sqlite' }, 'same'],
  ['another file at the same path', storedLocal, { ...local, id: '5a2e' }, 'other'],
  ['a file without an id', { ...storedLocal, identity: { id: '' } }, { ...local, id: '' }, 'same'],
  ['another file without an id', { workspace: '/a', identity: { id: '' } }, { ...local, id: '' }, 'other'],
  ['an unknown owner', { workspace: local.place }, local, 'unknown'],
  ['no owner', {}, hosted, 'unknown'],
  ['an unknown owner of another place', { workspace: '/a' }, local, 'other'],
])('compares a stored workspace with %s', (_, stored, used, relation) => {
  expect(compareWorkspace(stored, used)).toBe(relation);
});

test('gives each place and each key another name, which does not contain the key', () => {
  const workspaces = [
    ...[hosted, { ...hosted, key: 'k-2' }, { ...hosted, place: 'https://other.example.com/' }],
    ...[{ place: hosted.place, keychain: 'work' }, local, { ...local, place: '/copy.sqlite' }],
  ];
  const names = workspaces.map(toWorkspaceName);
  expect(new Set(names).size).toBe(workspaces.length);
  for (const name of names) expect(name).toMatch(/^[\da-f]{16}$/);
  expect(toWorkspaceName({ ...local, id: '' })).toBe(toWorkspaceName(local));
});
