import { expect, test } from 'vitest';
import type { Failure } from '../../src/contract/errors.ts';
import { createContactColumns } from '../../src/import/contacts.ts';
import { listEntryColumns } from '../../src/import/entries.ts';
import { findIntendedHeader, formatMapping } from '../../src/import/guess-columns.ts';
import { type ColumnModel, type OwnColumns, resolveTargets } from '../../src/import/mapping.ts';
import { createOrganizationColumns } from '../../src/import/organizations.ts';

const own = {
  contacts: await createContactColumns('KR'),
  organizations: createOrganizationColumns(),
  deals: listEntryColumns('Organization', { process: true, statuses: [] } as never),
};

const model: ColumnModel = {
  subject: 'a contact',
  ownColumns: own.contacts,
  readOnly: ['id', 'created_at', 'updated_at'],
  fields: [],
  kind: 'custom',
  listFields: [],
  planBodies: () => [],
};

function resolve(
  columns: readonly string[],
  ownColumns: OwnColumns,
  fields: readonly string[] = [],
  map: readonly [string, string][] = [],
) {
  return resolveTargets(
    columns,
    { ...model, ownColumns, fields: fields.map((name) => ({ name })) },
    { map, ignore: [], listField: [] },
  );
}

/** Returns the fields of columns, separated by spaces; `-` if a column has none. */
function listFields(...parameters: Parameters<typeof resolve>): string {
  const names = resolve(...parameters).targets.map((target) =>
    target?.kind === 'own' ? target.name : (target?.field.name ?? '-'),
  );
  return names.join(' ');
}

test.each<[keyof typeof own, string, string]>([
  [
    'contacts',
    'Full name|Organisation|Work email|Email 2|Phone|Mobile|Phone 2',
    'name organization emails emails phone_numbers phone_numbers phone_numbers',
  ],
  [
    'contacts',
    'Given Name|Family Name|Organization Name|E-mail 1 - Value|Phone 1 - Value',
    'first_name last_name organization emails phone_numbers',
  ],
  [
    'contacts',
    'Name|Firma|E-Mail-Adresse|Telefon geschäftlich|Handy',
    'name organization emails phone_numbers phone_numbers',
  ],
  ['contacts', 'Name|Kunde|Phone (work)', 'name organization phone_numbers'],
  ['contacts', 'Name|Vorname|Unternehmen|Tel.', 'last_name first_name organization phone_numbers'],
  ['contacts', 'Nachname|Vorname|E-Mail (privat)', 'last_name first_name emails'],
  ['contacts', 'Nom|Société|Courriel|Téléphone portable', 'name organization emails phone_numbers'],
  [
    'contacts',
    'Nom|Prénom|Entreprise|Adresse e-mail|N° de téléphone',
    'last_name first_name organization emails phone_numbers',
  ],
  ['contacts', 'Nombre|Empresa|Correo electrónico|Teléfono móvil', 'name organization emails phone_numbers'],
  [
    'contacts',
    'Nombre|Apellidos|Compañía|Correo|Celular',
    'first_name last_name organization emails phone_numbers',
  ],
  ['contacts', 'Nome|Empresa|E-mail|Telemóvel', 'name organization emails phone_numbers'],
  [
    'contacts',
    'Nome|Sobrenome|Organização|Endereço de e-mail|Telefone',
    'first_name last_name organization emails phone_numbers',
  ],
  [
    'contacts',
    '이름|회사명|이메일|휴대폰 번호|전화번호',
    'name organization emails phone_numbers phone_numbers',
  ],
  ['contacts', '성|이름|소속|메일 주소|연락처', 'last_name first_name organization emails phone_numbers'],
  ['contacts', '氏名|会社名|メールアドレス|携帯電話', 'name organization emails phone_numbers'],
  ['contacts', '姓|名|勤務先|Eメール|電話番号', 'last_name first_name organization emails phone_numbers'],
  // Case, accents, character width, marks and spaces do not count.
  ['contacts', 'ＮＡＭＥ|ＴＥＬ|ﾒｰﾙｱﾄﾞﾚｽ|E MAIL ２', 'name phone_numbers emails emails'],
  ['contacts', '\ufeffTELEFONO|prenom|SOCIETE|E_Mail', 'phone_numbers first_name organization emails'],
  ['contacts', `${'Téléphone'.normalize('NFD')}|${'이름'.normalize('NFD')}`, 'phone_numbers name'],
  ['organizations', 'Company|Website', 'name domains'],
  ['organizations', 'Firma|Webseite', 'name domains'],
  ['organizations', 'Nom|Site web', 'name domains'],
  ['organizations', '회사명|홈페이지', 'name domains'],
  ['organizations', '会社名|ホームページ', 'name domains'],
  ['deals', 'Company|Stage|Owner|Deal value', 'organization status assignee one_time_value'],
  ['deals', 'Firma|Phase|Zuständig|Betrag', 'organization status assignee one_time_value'],
  ['deals', '회사|진행 단계|담당자|금액', 'organization status assignee one_time_value'],
  ['contacts', 'Shoe size|Email 2 note|Fax|Title', '- - - -'],
])('guesses the columns of %s from %s', (noun, headers, fields) => {
  expect(listFields(headers.split('|'), own[noun])).toBe(fields);
});

test.each<[string, string[], string[], string]>([
  [
    'the exact name of a custom field wins over a guess',
    ['Mobile', 'Phone'],
    ['Mobile'],
    'Mobile phone_numbers',
  ],
  ['so does its name in another case', ['mobile'], ['MOBILE'], 'MOBILE'],
  [
    'a header is mapped to a custom field with the same meaning',
    ['Geburtstag', '役職', 'Close date'],
    ['Birthday', 'Job title', 'Expected close'],
    'Birthday Job title Expected close',
  ],
  ['two such custom fields are no guess', ['Geburtstag'], ['Birthday', 'Date of birth'], '-'],
  ['an exact name wins over a guess', ['Vorname', 'first_name'], [], '- first_name'],
  ['headers of an export are not guessed', ['id', 'created_at', 'updated_at', 'Mobile'], [], '- - - -'],
  ['a header with a type is not guessed', ['Mobile:text'], [], '-'],
  ['a header with the prefix of custom fields is not guessed', ['custom_fields.Mobile'], [], '-'],
])('%s', (_, columns, fields, expected) => {
  expect(listFields(columns, own.contacts, fields)).toBe(expected);
});

test('a column that --map maps wins over a guess', () => {
  expect(listFields(['Firma', 'Company'], own.contacts, [], [['Company', 'organization']])).toBe(
    '- organization',
  );
});

test.each([
  [
    ['Company', 'Firma'],
    '"Company" and "Firma" may both be the field organization.',
    "--map 'Company=organization' --ignore Firma",
  ],
  [
    ['Vorname', 'First=name', 'Email'],
    '"Vorname" and "First=name" may both be the field first_name.',
    "--map 'Vorname=first_name' --ignore 'First=name'",
  ],
  [
    ['Full name', 'Vorname'],
    '"Vorname" and "Full name" may both be the field first_name.',
    "--map 'Vorname=first_name' --ignore 'Full name'",
  ],
])('refuses to guess among %s', (columns, message, flags) => {
  expect(() => resolve(columns, own.contacts)).toThrow(
    expect.objectContaining<Partial<Failure>>({
      code: 'usage',
      message,
      detail: { hint: `Pass ${flags}, or --map the columns to other fields.` },
    }),
  );
});

test.each([
  [['Name', 'Vorname', 'Nachname'], '- first_name last_name'],
  [['Display Name', 'first_name', 'last_name'], '- first_name last_name'],
  [['Associated Company', 'Company name'], '- organization'],
  [['organization', 'Firma'], 'organization -'],
])('gives %s the fields %s', (columns, fields) => {
  expect(listFields(columns, own.contacts)).toBe(fields);
});

test.each([
  ['emial', 'email', 'emails'],
  ['Phnoe', 'phone', 'phone_numbers'],
  ['Vorame', 'Vorname', 'first_name'],
  ['Birthdy', 'Birthday', 'Birthday'],
  ['Fist name', 'first_name', 'first_name'],
])('takes the header %s for a typo of %s, the field %s', (column, header, field) => {
  expect(findIntendedHeader(column, { ...model, fields: [{ name: 'Birthday' }] })).toEqual({ header, field });
});

test.each(['Title', 'Photo', 'Labels', 'State', 'Notes', 'Field 1', 'Nam'])(
  'takes the header %s for another word',
  (column) => {
    expect(
      findIntendedHeader(column, { ...model, fields: [{ name: 'Label' }, { name: 'Field 2' }] }),
    ).toBeUndefined();
  },
);

test('formats guesses as flags for a shell', () => {
  const { guesses } = resolve(["Company's name", 'E=Mail', 'first_name'], own.contacts, ['e mail']);
  expect(guesses.map(formatMapping)).toEqual(["--map 'E\\=Mail=e mail'"]);
});
