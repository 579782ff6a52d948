import { expect, onTestFinished } from 'vitest';
import type { WireResponse } from '../../../../src/contract/grammar.ts';
import { type OpenOptions, openWorkspace } from '../../../../src/service/db/open.ts';
import { createService, type Service } from '../../../../src/service/dispatch.ts';
import { readObject } from '../../../../src/values/json-object.ts';
import type { PostgresServer } from '../../../support/postgres.ts';

/** Opens the service on a database. Anything in its log but a full disk fails the test. */
export async function openService(url: string, options?: OpenOptions): Promise<Service> {
  const db = await openWorkspace(url, options);
  const logged: string[] = [];
  onTestFinished(async () => {
    await db.close();
    expect(logged.filter((text) => !text.includes('No space left on device'))).toEqual([]);
  });
  return createService({ db, now: () => new Date(), log: (text) => void logged.push(text) });
}

/** Creates a contact. */
export const createContact = (service: Service, name: string) =>
  service({ method: 'POST', path: '/v1/contacts', query: [], body: { first_name: name } });

/** Lists contacts. */
export const listContacts = (service: Service) =>
  service({ method: 'GET', path: '/v1/contacts', query: [], body: undefined });

/** Names a response: `created`, `full` (507), `refused` (503 with Retry-After), the code of a 503 without it, or its status. */
export function describeResponse({ status, headers, body }: WireResponse): string {
  if (status !== 503) return outcomes[status] ?? String(status);
  return headers['retry-after'] ? 'refused' : String(readObject(body).code);
}

const outcomes: Readonly<Record<number, string>> = { 201: 'created', 507: 'full' };

/** Creates contacts with several writers until `isDone`, and returns their names by what the service responded. */
export async function writeUntil(service: Service, isDone: (sent: number, created: number) => boolean) {
  const outcomes = new Map<string, string>();
  let created = 0;
  const write = async () => {
    while (!isDone(outcomes.size, created)) {
      const name = `N${outcomes.size}`;
      outcomes.set(name, 'sent');
      const outcome = describeResponse(await createContact(service, name));
      outcomes.set(name, outcome);
      if (outcome === 'created') created += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
  return outcomes;
}

/** Checks that the created contacts are stored, each once, and the refused ones are not. */
export async function expectStored(
  server: PostgresServer,
  database: string,
  outcomes: ReadonlyMap<string, string>,
) {
  const rows = await server.query('select first_name as name from contact', database);
  const stored = rows.map(({ name }) => String(name));
  expect(new Set(stored).size).toBe(stored.length);
  const find = (outcome: string) =>
    [...outcomes].flatMap(([name, found]) => (found === outcome ? [name] : []));
  const others = [...outcomes.values()].filter((text) => !/^(created|full|refused|unknown)$/.test(text));
  expect(others).toEqual([]);
  expect(find('created').filter((name) => !stored.includes(name))).toEqual([]);
  expect([...find('refused'), ...find('full')].filter((name) => stored.includes(name))).toEqual([]);
}
