import { archiveNouns, recordRoutes } from '../../../src/archive/archive-nouns.ts';
import { readNoun } from '../../../src/archive/read-workspace.ts';
import { createRecordNormalizer } from '../../../src/contract/received.ts';
import type { RestoreSource, WorkspaceRecords } from '../../../src/contract/workspace.ts';
import { createEmbeddedTransport, createWorkspaces } from '../../../src/service/workspace.ts';
import { parseJson, UnparsedJson } from '../../../src/values/raw-json.ts';
import { createClientOver } from '../../client/loopback.ts';

type Noun = keyof WorkspaceRecords;

/** The texts of all records of a workspace, by noun. */
export type RecordTexts = Record<Noun, string[]>;

export const now = () => new Date('2026-05-04T09:30:00.000Z');
export const workspaces = createWorkspaces({
  env: {},
  now,
  newId: () => 'id',
  version: '0.0.0',
  log: () => {},
});

/** Reads all records of a workspace as a backup does. */
export async function readTexts(location: string): Promise<RecordTexts> {
  const transport = await createEmbeddedTransport(location, now);
  const { client } = createClientOver(transport, 0);
  const texts: Partial<RecordTexts> = {};
  for (const noun of archiveNouns) {
    texts[noun] = [];
    for await (const { records } of readNoun[noun](client))
      texts[noun].push(...records.map(({ text }) => text));
  }
  await transport.close();
  return texts as RecordTexts; // all nouns
}

/** Returns the source with these records, as an archive gives them. */
export function createSource(texts: Partial<RecordTexts>, identity?: string): RestoreSource {
  return {
    identity,
    *read<N extends Noun>(noun: N) {
      const parse = createRecordNormalizer(recordRoutes[noun]);
      for (const text of texts[noun] ?? [])
        yield new UnparsedJson(text, (text) => parse(parseJson(text)) as WorkspaceRecords[N]); // by the route
    },
  };
}

/** Returns a source with these records as JSON. */
export const createSourceOf = (records: Partial<Record<Noun, readonly unknown[]>>): RestoreSource =>
  createSource(
    Object.fromEntries(
      Object.entries(records).map(([noun, list]) => [noun, list.map((record) => JSON.stringify(record))]),
    ),
  );

export const restore = (location: string, source: RestoreSource, report = () => {}) =>
  workspaces.restore(location, source, report, new AbortController().signal);
