import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { schemaTitles } from '../commands/describe/describe.ts';
import {
  ActionItem,
  CommandsDocument,
  CompactRow,
  EnvelopeDocument,
  PrintedError,
} from '../contract/documents/schemas.ts';
import { records } from '../contract/index.ts';

const schemas: Readonly<Record<keyof typeof schemaTitles, v.GenericSchema>> = {
  contacts: records.Contact,
  organizations: records.Organization,
  notes: records.Note,
  'custom-fields': records.CustomField,
  lists: records.List,
  entries: records.Entry,
  events: records.CalendarEvent,
  recordings: records.Recording,
  actions: ActionItem,
  commands: CommandsDocument,
  error: PrintedError,
  envelope: EnvelopeDocument,
  compact: CompactRow,
};

/** Returns the JSON Schema (2020-12) of each published document: path -> text. */
export function buildSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(schemaTitles).map(([name, title]) => {
      const { $schema, ...schema } = toJsonSchema(schemas[name as keyof typeof schemas], {
        target: 'draft-2020-12',
        errorMode: 'ignore',
      });
      const document = { $schema, $id: `urn:kith:schema:${name}`, title, ...schema };
      return [`docs/schemas/${name}.json`, `${JSON.stringify(document, null, 2)}\n`];
    }),
  );
}
