import { singularNouns, writableNouns } from '../../contract/singular-nouns.ts';
import { listUnknownFields } from '../../merge/combine-fields.ts';
import { formatCount, toPlural } from '../../values/text.ts';
import type { Archive } from '../archive.ts';
import { listSourceRecords } from './transfer-nouns.ts';

/** The nouns that the API cannot create. */
export const readOnlyNouns = ['events', 'recordings'] as const;

/** Properties of records that the API cannot write. */
export interface Losses {
  /** Descriptions of what is not copied, such as `3 meetings`. */
  readonly records: readonly string[];
  /** Names of fields that no request accepts, with the number of their values. */
  readonly fields: readonly string[];
}

/** Fields whose values the service sets. */
const serviceFields = ['archived_at', 'closed_at'] as const;

/** Finds the records and fields that the API cannot write. */
export function findLosses(archive: Archive): Losses {
  const { files } = archive.manifest;
  const fields = new Map<string, number>();
  for (const noun of writableNouns)
    for (const { record } of listSourceRecords(archive, noun)) {
      const names = [
        ...listUnknownFields(noun, record as Parameters<typeof listUnknownFields>[1]),
        ...serviceFields.filter((name) => record[name]),
      ];
      for (const name of names) {
        const label = `${name} of ${toPlural(singularNouns[noun])}`;
        fields.set(label, (fields.get(label) ?? 0) + 1);
      }
    }
  return {
    records: readOnlyNouns.flatMap((noun) =>
      files[noun].records > 0 ? [formatCount(files[noun].records, singularNouns[noun])] : [],
    ),
    fields: Array.from(fields, ([label, count]) => `${label} (${formatCount(count, 'record')})`),
  };
}
