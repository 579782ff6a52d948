import type * as v from 'valibot';
import { expect, test } from 'vitest';
import type * as types from '../../src/api/types.d.ts';
import type { CallOptions, Client, Contact, Entry, List } from '../../src/api/types.d.ts';
import type { FailureCode } from '../../src/contract/errors.ts';
import type { Input, Route } from '../../src/contract/grammar.ts';
import type { Contract, records } from '../../src/contract/index.ts';
import type { Received } from '../../src/contract/received.ts';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** The record of a route as the client returns it. */
type RecordNamed<Name extends keyof typeof records> = Received<v.InferOutput<(typeof records)[Name]>>;

/** The fields of a route's body or query. */
type Fields<R extends Route> = Omit<
  Input<R>,
  'contact_id' | 'organization_id' | 'list_id' | 'id' | 'first' | 'after'
>;

/** Without `readonly`: the client accepts lists that it must not change. */
type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Writable<T[Name]> }
    : T;

/** The fields that a method takes before its options. */
type FieldsOf<F> = F extends (...values: infer P) => unknown
  ? Required<P> extends [...unknown[], infer L, CallOptions]
    ? Writable<L>
    : never
  : never;

/** Does not compile if the generated declarations differ from the types that the contract implies. */
const comparisons: true[] = [
  true satisfies Same<Contact, RecordNamed<'Contact'>>,
  true satisfies Same<types.Organization, RecordNamed<'Organization'>>,
  true satisfies Same<types.Note, RecordNamed<'Note'>>,
  true satisfies Same<types.CustomField, RecordNamed<'CustomField'>>,
  true satisfies Same<List, RecordNamed<'List'>>,
  true satisfies Same<Entry, RecordNamed<'Entry'>>,
  true satisfies Same<types.CalendarEvent, RecordNamed<'CalendarEvent'>>,
  true satisfies Same<Omit<types.Recording, 'summary'>, Omit<RecordNamed<'Recording'>, 'summary'>>,
  true satisfies Same<FailureCode, types.FailureCode>,
  true satisfies Same<keyof Client, keyof Contract | 'close'>,
  true satisfies Same<keyof Client['contacts'], keyof Contract['contacts'] | 'find'>,
  true satisfies Same<keyof Client['entries'], keyof Contract['entries']>,
  true satisfies Same<
    Omit<FieldsOf<Client['contacts']['create']>, 'organization_id'>,
    Fields<Contract['contacts']['create']>
  >,
  true satisfies Same<FieldsOf<Client['lists']['create']>, Fields<Contract['lists']['create']>>,
  true satisfies Same<FieldsOf<Client['lists']['update']>, Fields<Contract['lists']['update']>>,
  true satisfies Same<FieldsOf<Client['customFields']['create']>, Fields<Contract['customFields']['create']>>,
  true satisfies Same<
    Omit<FieldsOf<Client['entries']['create']>, 'contact_id'>,
    Fields<Contract['entries']['create']>
  >,
];

test('the declarations of the client equal the types of the contract', () => {
  expect(comparisons).not.toContain(false);
});
