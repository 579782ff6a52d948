import { recordRoutes } from '../../../src/archive/archive-nouns.ts';
import { createServiceReader } from '../../../src/archive/read-workspace.ts';
import { createRecordNormalizer } from '../../../src/contract/received.ts';
import type { RestoreSource, WorkspaceRecords } from '../../../src/contract/workspace.ts';
import { createEmbeddedTransport, createWorkspaces } from '../../../src/service/workspace.ts';
import { parseJson, type RawJson, UnparsedJson } from '../../../src/values/raw-json.ts';
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
  const reader = createServiceReader(createClientOver(transport, 0).client);
  const read = async (pages: AsyncIterable<{ readonly records: readonly RawJson[] }>) => {
    const texts: string[] = [];
    for await (const { records } of pages) texts.push(...records.map(({ text }) => text));
    return texts;
  };
  const recordings: string[] = [];
  for await (const { records } of reader.meetings())
    for (const { value } of records)
      for (const { id } of value.recordings) recordings.push((await reader.recording(id)).text);
  const texts = {
    customFields: await read(reader.pages('customFields')),
    organizations: await read(reader.pages('organizations')),
    contacts: await read(reader.pages('contacts')),
    lists: await read(reader.pages('lists')),
    entries: await read(reader.entries(() => {})),
    notes: await read(reader.pages('notes')),
    events: await read(reader.meetings()),
    recordings,
  };
  await transport.close();
  return texts;
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
