import type { Session } from '../../../cli/command/context.ts';
import { toEntryKind } from '../../../cli/flags/references.ts';
import type { ValueReader } from '../../../cli/references/field-input.ts';
import { presetReference } from '../../../cli/references/resolve-reference.ts';
import { contactRequirement } from '../../../contract/contacts.ts';
import type { CustomField } from '../../../contract/custom-fields.ts';
import { requireFailure } from '../../../contract/errors.ts';
import type { List } from '../../../contract/lists.ts';
import type { Received } from '../../../contract/received.ts';
import { models } from '../../../contract/record-fields.ts';
import { type Noun, toSingularNoun, type WritableNoun } from '../../../contract/singular-nouns.ts';
import { validateBody } from '../../../contract/validate.ts';
import { hashContent } from '../../../export/folder.ts';
import { type JsonObject, readObject } from '../../../values/json-object.ts';
import { formatFullName } from '../../../values/record-names.ts';
import { nouns } from '../../../writes/nouns.ts';
import { buildWrites, type FieldChange } from '../../edit/edit-document.ts';
import { EditError } from '../../edit/edit-values.ts';
import { type DocumentField, listDocumentFields } from '../document-fields.ts';
import { findLine, readDocument, readTypedMapping } from '../documents.ts';
import { findOrganization, type NewFile } from '../local-changes.ts';
import type { FileError } from '../local-files.ts';
import { toListFolder, toStem } from '../places.ts';
import { type Definitions, getContext } from '../record-files.ts';
import type { WorkingCopy } from '../working-copy.ts';
import { createEncodingError, setStatus } from './read-edited.ts';

/** A record to create from a file. Its body may contain the provisional ids of other new records. */
export interface NewRecord {
  readonly noun: WritableNoun;
  readonly file: string;
  readonly list_id?: string;
  readonly body: JsonObject;
  readonly changes: readonly FieldChange[];
  readonly hash: string;
}

/** The values by which a new record has all fields that its file may have. */
const emptyRecords: Partial<Record<WritableNoun, JsonObject>> = {
  contacts: { phone_numbers: [] },
  customFields: { data_type: 'select', options: [] },
  lists: { statuses: [], fields: [] },
};

/** Values that a create requires, and that a file may omit. */
const defaultValues: Partial<Record<WritableNoun, JsonObject>> = {
  customFields: { data_type: 'text', accepts_multiple_values: false },
};

const prefix = 'new:';

/** Returns the id by which other files refer to the record of a new file until it is created. */
const toProvisionalId = (file: string) => `${prefix}${file}`;

/** Returns the file of a provisional id; undefined for any other text. */
export const readProvisionalId = (text: unknown): string | undefined =>
  typeof text === 'string' && text.startsWith(prefix) ? text.slice(prefix.length) : undefined;

/** Lets other files name the contacts and organizations of new files by their addresses, domains and names. */
export function presetNewReferences(
  session: Session,
  { folder }: WorkingCopy,
  created: readonly NewFile[],
): void {
  for (const { file, noun } of created) {
    if (noun !== 'contacts' && noun !== 'organizations') continue;
    const mapping = readTypedMapping(noun, folder.read(file) ?? '');
    const read = (name: string) => {
      const { value = null } = mapping.get(name) ?? {};
      return (Array.isArray(value) ? value.map((item) => item.value) : [value]).filter(
        (text) => typeof text === 'string' && text.trim() !== '',
      ) as string[]; // as the filter says
    };
    const kind = noun === 'contacts' ? 'contact' : 'organization';
    const [first] = read('first_name');
    const [last] = read('last_name');
    const texts =
      kind === 'contact'
        ? [...read('emails'), formatFullName(first, last)]
        : [...read('domains'), ...read('name')];
    for (const text of texts.flatMap((word) => [word, word.toLowerCase()]))
      if (text !== '') presetReference(session, kind, text, toProvisionalId(file));
  }
}

/** Reads new files in the order of their creation. Adds their lists and custom fields to `definitions`. */
export class NewRecordReader {
  readonly errors: FileError[] = [];
  readonly records: NewRecord[] = [];
  readonly #read: ValueReader;
  readonly #copy: WorkingCopy;
  readonly #definitions: Definitions;
  readonly #created: readonly NewFile[];

  constructor(read: ValueReader, copy: WorkingCopy, definitions: Definitions, created: readonly NewFile[]) {
    this.#read = read;
    this.#copy = copy;
    this.#definitions = definitions;
    this.#created = created;
  }

  async read(noun: Noun): Promise<void> {
    for (const created of this.#created) {
      if (created.noun !== noun) continue;
      try {
        this.records.push(await this.#readFile(created));
      } catch (error) {
        if (!(error instanceof FileErrors)) throw error;
        this.errors.push(...error.errors.map(({ line, message }) => ({ file: created.file, line, message })));
      }
    }
  }

  async #readFile({ file, noun, place }: NewFile): Promise<NewRecord> {
    const text = this.#copy.folder.read(file) ?? '';
    if (this.#copy.folder.hash(file) !== hashContent(text)) throw new FileErrors([createEncodingError()]);
    const mapping = readTypedMapping(noun, text);
    const list_id = place.noun === 'entries' ? this.#findList(place.folder) : undefined;
    const context = getContext(this.#definitions, noun, list_id);
    // The errors of the list are reported for its own file.
    if (list_id !== undefined && !this.#definitions.lists.has(list_id)) throw new FileErrors([]);
    const record = { ...emptyRecords[noun], process: mapping.get('process')?.value === 'true' };
    const fields = listDocumentFields(noun, record, context).map(
      (field): DocumentField => (field.isFixed ? { ...field, value: null } : field),
    );
    const read = await readDocument(this.#read, noun, text, undefined, fields);
    if (read.errors.length > 0) throw new FileErrors(read.errors);
    const changes =
      place.noun === 'entries' && context.list?.process
        ? setStatus(place.status, fields, read.changes, context.list, text)
        : read.changes;
    if (changes instanceof EditError) throw new FileErrors([changes]);
    const { body } = buildWrites(changes.filter(({ field }) => field.key !== 'id'));
    const full = { ...defaultValues[noun], ...body, ...this.#readImplied({ file, noun, place }, context) };
    const errors = findBodyErrors(noun, full, mapping);
    if (errors.length > 0) throw new FileErrors(errors);
    this.#define(noun, file, full);
    return {
      noun,
      file,
      body: full,
      changes,
      hash: hashContent(text),
      ...(list_id !== undefined && { list_id }),
    };
  }

  /** Returns the values that the folder of a new file stands for. */
  #readImplied({ place }: NewFile, { list }: ReturnType<typeof getContext>): JsonObject {
    if (place.noun === 'entries') return { entryable_type: list?.entry_type };
    if (place.noun === 'notes') return { organization_id: this.#findOrganization(place.folder) };
    if (place.noun !== 'customFields') return {};
    if (models.some((model) => model === place.model)) return { model: place.model };
    throw new FileErrors([
      new EditError(1, `"${place.model}" is not a kind of record. Available folders: ${models.join(', ')}.`),
    ]);
  }

  #findList(folder: string): string {
    for (const { noun, id, file } of this.#copy.state.entries.values())
      if (noun === 'lists' && toListFolder(file) === folder) return id;
    const created = this.#created.find(({ noun, file }) => noun === 'lists' && toListFolder(file) === folder);
    if (created) return toProvisionalId(created.file);
    throw new FileErrors([
      new EditError(1, `There is no list for the folder lists/${folder}: it has no list.yaml.`),
    ]);
  }

  #findOrganization(folder: string): string {
    const id = findOrganization(this.#copy.state, folder);
    if (id !== undefined) return id;
    const created = this.#created.find(
      ({ noun, file }) => noun === 'organizations' && toStem(file) === folder,
    );
    if (created) return toProvisionalId(created.file);
    throw new FileErrors([
      new EditError(
        1,
        `There is no organization for the folder organizations/${folder}: create ${folder}.yaml next to it.`,
      ),
    ]);
  }

  /** Lets later files use a new list or custom field. */
  #define(noun: WritableNoun, file: string, body: JsonObject): void {
    const id = toProvisionalId(file);
    if (noun === 'lists') this.#definitions.lists.set(id, { ...body, id } as unknown as Received<List>); // validated
    if (noun === 'customFields')
      this.#definitions.customFields.push({ ...body, id } as unknown as Received<CustomField>); // validated
  }
}

/** The errors of one file. */
class FileErrors extends Error {
  override readonly name = 'FileErrors';
  readonly errors: readonly EditError[];

  constructor(errors: readonly EditError[]) {
    super('The file has errors.');
    this.errors = errors;
  }
}

/** Returns the errors of a body that creates a record, as the service would report them. */
function findBodyErrors(
  noun: WritableNoun,
  body: JsonObject,
  mapping: ReturnType<typeof readTypedMapping>,
): EditError[] {
  const errors: EditError[] = [];
  if (noun === 'contacts' && !body.first_name && [body.emails ?? []].flat().length === 0)
    errors.push(new EditError(1, contactRequirement));
  try {
    validateBody(nouns[toSingularNoun(noun)].create, body).errors.raise();
  } catch (error) {
    const { message, detail } = requireFailure(error);
    for (const { pointer, message: text } of detail.fieldErrors ?? [{ pointer: '', message }]) {
      const [key = '', index = ''] = pointer.slice('#/'.length).split('/');
      const { name = key } = readObject(readObject(body[key])[index]);
      const isEntryable = noun === 'entries' && name === 'entryable_id';
      const shown = isEntryable ? toEntryKind(body.entryable_type) : String(name);
      errors.push(new EditError(findLine(mapping, shown), `${shown}: ${text.replace(/^\S+/, 'The value')}`));
    }
  }
  return errors;
}
