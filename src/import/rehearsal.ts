import { type Fields, fieldsOf, itemsOf } from '../render/fields.ts';
import { extractHost } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import type { Step } from './outcome.ts';

/** Whether a record was made in a rehearsal. */
export const isImagined = ({ imagined }: Fields) => imagined === true;

/** The id of a record that a row would make. */
const imaginedId = (row: number) => `row ${row}`;
/** Whether an id is one that a rehearsal has made up. */
export const isImaginedId = (id: unknown) => typeof id === 'string' && /^row \d+$/.test(id);

/** What a record would be after a step: what a rehearsal has in place of an answer. */
export function imaginedAfter({ body, id }: Step, current: Fields | undefined, row: number): Fields {
  const { custom_fields, list_fields, emails, domains, assignee_email, ...rest } = body;
  const grown = {
    emails: joined(current?.emails, emails, (email) => email.trim()),
    domains: joined(current?.domains, domains, (domain) => extractHost(domain) ?? domain),
  };
  return {
    ...current,
    ...rest,
    id: id ?? imaginedId(row),
    imagined: id === undefined || isImagined(fieldsOf(current)),
    ...Object.fromEntries(Object.entries(grown).filter(([, value]) => value !== undefined)),
    ...(assignee_email !== undefined && { assignee: { email: assignee_email } }),
    custom_fields: withValues(current?.custom_fields, custom_fields),
    list_fields: withValues(current?.list_fields, list_fields),
  };
}

/** Texts beside those that are held, as the service stores them: none twice, whatever its case. */
function joined(held: unknown, added: unknown, stored: (text: string) => string): unknown {
  if (!Array.isArray(added)) return held;
  const texts = [...readTexts(held), ...readTexts(added)].map(stored);
  const folded = texts.map((text) => text.toLowerCase());
  return texts.filter((_, index) => folded.indexOf(folded[index] ?? '') === index);
}

function withValues(map: unknown, values: unknown): Fields {
  const now = new Map(Object.values(fieldsOf(map)).map((field) => [fieldsOf(field).name, field]));
  for (const value of itemsOf(values)) now.set(value.name, value);
  return { ...[...now.values()] };
}
