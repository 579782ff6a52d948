import { type FieldContainer, isEmpty } from '../../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../../values/json-object.ts';
import { quote } from '../../values/text.ts';

/** A value that is not copied, and why. */
export interface LostValue {
  readonly field: string;
  readonly reason: string;
}

/** The custom fields and list fields of the source, and why the values of some are not copied. */
export class UsableFields {
  /** The reason by owner and name; undefined if the values of a field are copied. */
  readonly #fields = new Map<string, string | undefined>();

  /** `owner`: the model of a custom field, or the id of a list. */
  set(owner: unknown, name: unknown, reason?: string): void {
    this.#fields.set(JSON.stringify([owner, name]), reason);
  }

  /** Returns the values of a body that the target accepts, and the others. */
  split(owner: unknown, items: readonly unknown[]): { items: JsonObject[]; lost: LostValue[] } {
    const lost: LostValue[] = [];
    const usable = items.filter(isObject).filter(({ name }) => {
      const key = JSON.stringify([owner, name]);
      const reason = this.#fields.has(key) ? this.#fields.get(key) : 'The source does not define this field.';
      if (reason !== undefined) lost.push({ field: String(name), reason });
      return reason === undefined;
    });
    return { items: usable, lost };
  }
}

/** Describes why a field of the target cannot hold the values of a field with the same name; undefined if it can. */
export function findFieldConflict(source: JsonObject, target: JsonObject): string | undefined {
  const name = quote(String(source.name));
  const describe = ({ data_type, accepts_multiple_values: isMultiple }: JsonObject) =>
    `${data_type ?? 'text'}${isMultiple === true ? ' with several values' : ''}`;
  const [from, to] = [describe(source), describe(target)];
  return from === to ? undefined : `The target's field ${name} has the type ${to}, not ${from}.`;
}

/** Returns the options of a field in the target together with those of the source; undefined if no option is missing. */
export function combineOptions(source: JsonObject, target: JsonObject): readonly unknown[] | undefined {
  const [wanted, stored] = [source.options, target.options];
  if (!Array.isArray(wanted) || !Array.isArray(stored) || isEmpty(wanted)) return undefined;
  const missing = wanted.filter((option) => !stored.includes(option));
  return missing.length > 0 ? [...stored, ...missing] : undefined;
}

/** The owner of the fields in a container: the model of the record, or the list of the entry. */
export function findFieldOwner(container: FieldContainer, noun: string, record: unknown): unknown {
  if (container === 'list_fields') return readObject(record).list_id;
  return noun === 'organizations' ? 'organization' : 'contact';
}
