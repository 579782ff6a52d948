import type { Client } from '../client/client.ts';
import { toMatchKey } from '../records/match.ts';
import type { CellError, NamedValue, RowPlan } from './mapping.ts';

/** An error about a contact field that names no contact. */
export interface MissingContact extends CellError {
  readonly email: string;
}

/** Replaces the email addresses in contact fields by ids, because an export writes email addresses. */
export class ContactResolver {
  readonly #client: Client;
  readonly #idsByKey = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Returns the plan without the values that name missing contacts. `isPredicted`: whether a dry run predicts the contact
   * of an email address. Such an address is not replaced.
   */
  async resolve(plan: RowPlan, isPredicted: (email: string) => boolean) {
    const missing: MissingContact[] = [];
    const resolveAll = async (values: readonly NamedValue[]) =>
      (
        await Promise.all(values.map((namedValue) => this.#resolveValue(namedValue, isPredicted, missing)))
      ).flat();
    const [custom, list] = [await resolveAll(plan.custom), await resolveAll(plan.list)];
    return { plan: { ...plan, custom, list }, missing };
  }

  async #resolveValue(
    namedValue: NamedValue,
    isPredicted: (email: string) => boolean,
    missing: MissingContact[],
  ): Promise<NamedValue[]> {
    if (namedValue.data_type !== 'contact') return [namedValue];
    const texts = [namedValue.value].flat().map(String);
    const ids = await Promise.all(
      texts.map(async (text) => (await this.#findId(text)) ?? (isPredicted(text) ? text : undefined)),
    );
    const unknownTexts = texts.filter((_, at) => ids[at] === undefined);
    for (const email of unknownTexts)
      missing.push({ column: namedValue.name, email, message: `contact "${email}" not found.` });
    return unknownTexts.length > 0
      ? []
      : [{ ...namedValue, value: Array.isArray(namedValue.value) ? ids : ids[0] }];
  }

  async #findId(text: string): Promise<string | undefined> {
    if (!text.includes('@')) return text;
    const email = text.trim();
    const key = toMatchKey('email', email);
    const [contact] = this.#idsByKey.has(key) ? [] : await this.#client.findContacts({ email });
    if (contact) this.#idsByKey.set(key, contact.value.id);
    return this.#idsByKey.get(key);
  }
}
