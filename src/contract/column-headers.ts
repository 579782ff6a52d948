import type { recordFields } from './record-fields.ts';
import type { ListedNoun } from './singular-nouns.ts';

const organization = `Company, Company name, Organization, Organization name, Account, Account name,
    Employer, Business name, Firm, Current company, Organization 1 - Name, Organization - Name, Person - Organization,
    Associated company, Associated company name, Primary associated company, Account: Account name,
    Firma, Firmenname, Unternehmen, Unternehmensname, Arbeitgeber, Name der Firma, Kunde, Kundenname,
    Société, Entreprise, Nom de l'entreprise, Nom de la société, Raison sociale, Employeur,
    Empresa, Nombre de la empresa, Nombre de empresa, Compañía, Organización, Razón social,
    Nome da empresa, Companhia, Organização, Razão social,
    회사, 회사명, 회사 이름, 기업, 기업명, 업체, 업체명, 소속, 조직, 거래처, 거래처명,
    会社, 会社名, 企業, 企業名, 勤務先, 組織, 組織名, 法人名, 社名, 貴社名`;

const noteText = `Note, Notes, Text, Note text, Comment, Comments, Description, Content, Message,
    Notiz, Notizen, Kommentar, Bemerkung, Bemerkungen, Beschreibung, Inhalt,
    Remarque, Remarques, Commentaire, Commentaires, Contenu, Texte,
    Nota, Notas, Comentario, Comentarios, Observaciones, Descripción, Contenido, Texto,
    Comentário, Comentários, Observações, Descrição, Conteúdo,
    메모, 노트, 내용, 비고, 코멘트, 본문,
    メモ, ノート, 内容, 備考, コメント, 本文`;

/** The headers of the fields of each noun, and of values that an import derives from a column. */
type NounHeaders = {
  readonly [Noun in ListedNoun]?: Readonly<
    Partial<Record<keyof (typeof recordFields)[Noun]['ownFields'] | 'name' | 'date', string>>
  >;
};

/**
 * Headers of spreadsheets by which an import guesses the field of a column, separated by commas. Each language has a
 * line: English, German, French, Spanish, Portuguese, Korean and Japanese. English also has the headers of the exports
 * of other programs. Case, accents, spaces and punctuation are ignored. For a field with several values, a number is ignored too (`Email 2`). Words with another common meaning,
 * such as `Title` and `Site`, are omitted. One header may stand for several fields: `Name` is a full name, but a last
 * name next to `Vorname`.
 */
const columnHeaders = {
  contacts: {
    name: `Name, Full name, Contact name, Contact person, Display name, Person - Name, Invitee name, Attendee name, Lead name,
    Vollständiger Name, Vor- und Nachname, Vorname Nachname, Kontaktname, Ansprechpartner, Ansprechperson, Anzeigename,
    Nom, Nom complet, Prénom et nom, Prénom nom, Nom du contact,
    Nombre, Nombre completo, Nombre y apellidos, Nombre y apellido, Nombre del contacto,
    Nome, Nome completo, Nome e sobrenome, Nome e apelido, Nome do contato, Nome do contacto,
    이름, 성명, 성함, 이름 전체, 담당자, 담당자명, 담당자 이름,
    名前, お名前, 氏名, 姓名, フルネーム, 担当者, 担当者名, ご担当者名`,
    first_name: `First, First name, Given name, Forename, First name [Required], Person - First name, Invitee first name, Contact first name,
    Vorname, Rufname,
    Prénom,
    Nombre, Nombre de pila, Nombres, Primer nombre,
    Nome, Primeiro nome, Nome próprio,
    이름, 명,
    名, 名前, ファーストネーム`,
    last_name: `Last, Last name, Surname, Family name, Last name [Required], Person - Last name, Invitee last name, Contact last name,
    Name, Nachname, Familienname, Zuname,
    Nom, Nom de famille,
    Apellido, Apellidos, Primer apellido,
    Sobrenome, Apelido, Apelidos, Último nome,
    성, 성씨,
    姓, 苗字, 名字, ラストネーム`,
    emails: `Email, Email address, Email addresses, Email value, Mail, Mail address, Work email, Business email, Home email,
    Personal email, Private email, Primary email, Secondary email, Other email, Contact email, Invitee email, Attendee email,
    Home secondary email, Work secondary email, Email work, Email home, Email other, Email personal, Email primary, Email address [Required],
    Person - Email, Person - Email - Work, Person - Email - Home, Person - Email - Other,
    E-Mail-Adresse, Mailadresse, E-Mail geschäftlich, E-Mail privat, Geschäftliche E-Mail, Private E-Mail,
    Weitere E-Mail, E-Mail-Adressen,
    Courriel, Mél, Adresse e-mail, Adresse mail, Adresse électronique, Adresse courriel, E-mail professionnel,
    Adresse de messagerie,
    Correo, Correo electrónico, Dirección de correo, Dirección de correo electrónico, Dirección de email, Correo personal,
    Correio eletrónico, Correio eletrônico, Endereço de e-mail, E-mail comercial, E-mail profissional, E-mail pessoal,
    이메일, 이메일 주소, 메일, 메일 주소, 전자우편, 전자메일, 회사 이메일, 개인 이메일,
    メール, メールアドレス, Eメール, Eメールアドレス, 電子メール, 電子メールアドレス, 会社メール`,
    phone_numbers: `Phone, Phones, Phone number, Phone numbers, Phone no, Phone value, Tel, Tel no, Telephone, Telephone number, Mobile,
    Mobile phone, Mobile number, Cell, Cell phone, Cell number, Work phone, Business phone, Company phone, Office phone,
    Phone work, Phone mobile, Phone home, Home phone, Direct phone, Direct line, Main phone, Primary phone, Other phone, Contact number,
    Phone other, Mobile phone number, Work phone number, Home phone number, Work number, Home number, Work direct phone, Car phone,
    Contact phone, Person - Phone, Person - Phone - Work, Person - Phone - Home, Person - Phone - Mobile, Person - Phone - Other,
    Telefon, Telefonnummer, Telefon-Nr, Tel-Nr, Rufnummer, Mobil, Mobiltelefon, Mobilnummer, Handy, Handynummer, Festnetz,
    Telefon geschäftlich, Telefon privat, Telefon mobil, Weiteres Telefon, Haupttelefon, Autotelefon,
    Téléphone, Tél, Numéro de téléphone, N° de téléphone, Portable, Téléphone portable, Téléphone mobile, Tél portable,
    Téléphone fixe, Téléphone professionnel, Téléphone bureau, Téléphone domicile, Tél mobile, Numéro de portable,
    Teléfono, Número de teléfono, Nº de teléfono, Móvil, Teléfono móvil, Número de móvil, Celular, Teléfono celular,
    Teléfono fijo, Teléfono de trabajo, Teléfono del trabajo, Teléfono particular, Número de celular,
    Telefone, Número de telefone, Telemóvel, Número de telemóvel, Telefone celular, Telefone fixo, Telefone comercial,
    전화, 전화번호, 연락처, 휴대폰, 휴대폰 번호, 휴대전화, 휴대전화 번호, 핸드폰, 핸드폰 번호, 모바일, 회사 전화, 회사 전화번호,
    사무실 전화, 직통전화,
    電話, 電話番号, 携帯, 携帯電話, 携帯番号, 携帯電話番号, 会社電話, 会社電話番号, 直通電話`,
    organization_id: organization,
  },
  organizations: {
    name: `${organization}, Name, Nom, Nombre, Nome, 이름, 명칭, 名前, 名称`,
    domains: `Web domain, Website, Web site, Website URL, Web, Web page, Homepage, URL, Company domain,
    Domain name, Company domain name, Company website, Organization - Website, Account website,
    Domäne, Webseite, Internetseite, Internetadresse,
    Domaine, Site web, Site internet,
    Dominio, Sitio web, Página web,
    Domínio, Website da empresa, Página da web,
    도메인, 웹사이트, 홈페이지,
    ドメイン, ウェブサイト, ホームページ`,
  },
  entries: {
    status: `Stage, Phase, Deal stage, Deal - Stage,
    Stufe, Deal-Phase,
    Statut, État, Étape,
    Estado, Etapa, Fase,
    Situação, Estágio,
    상태, 단계, 진행 상태, 진행 단계,
    ステータス, 状態, 段階, 進捗`,
    assignee: `Assigned to, Owner, Deal owner, Account owner, Sales rep,
    Zuständig, Verantwortlich, Bearbeiter, Besitzer,
    Responsable, Assigné à, Propriétaire,
    Asignado a, Encargado, Propietario,
    Responsável, Atribuído a, Proprietário,
    담당, 담당자, 영업 담당, 영업 담당자, 소유자,
    担当, 担当者, 営業担当, 営業担当者, 所有者`,
    one_time_value_cents: `Value, Deal value, Amount, Deal amount, Deal - Value,
    Wert, Betrag, Auftragswert,
    Valeur, Montant,
    Importe, Monto, Valor,
    Montante, Quantia,
    금액, 거래 금액, 계약 금액,
    金額, 取引金額, 契約金額`,
  },
  notes: {
    organization_id: organization,
    deal_id: `Deal, Deal key, Opportunity, Opportunity key,
    Geschäft, Verkaufschance,
    Affaire, Opportunité,
    Negocio, Oportunidad,
    Negócio, Oportunidade,
    거래, 딜, 영업 기회,
    商談, 案件, 取引`,
    body: noteText,
    date: `Date, Day, Note date,
    Datum,
    Jour, Date de la note,
    Fecha, Día,
    Data, Dia,
    날짜, 일자, 일시, 작성일,
    日付, 日時, 作成日`,
  },
} satisfies NounHeaders;

/**
 * Headers that yield to another column of the same field, because exports have them beside a better one. `Associated
 * company` has the names of all companies of a contact.
 */
export const yieldingHeaders = `Account, Account name, Account: Account name, Associated company, Associated company name,
    Primary associated company`;

/** Headers that are close to the name of a field, but are not typos. */
export const unrelatedHeaders = 'State, County';

/** Returns the headers of a field; undefined if it has none. */
export function findColumnHeaders(noun: ListedNoun, name: string): string | undefined {
  const headers: Readonly<Partial<Record<ListedNoun, Readonly<Record<string, string>>>>> = columnHeaders;
  return headers[noun]?.[name];
}

/** Groups of headers for custom fields: a column is mapped to the field whose name is in the same group. */
export const customColumnHeaders = [
  `Birthday, Birthdate, Birth date, Date of birth, DOB, Geburtstag, Geburtsdatum, Anniversaire, Date de naissance, Cumpleaños,
    Fecha de nacimiento, Aniversário, Data de nascimento, 생일, 생년월일, 誕生日, 生年月日`,
  `Job title, Position, Role, Berufsbezeichnung, Funktion, Stelle, Stellenbezeichnung, Fonction, Poste, Intitulé du poste, Cargo,
    Puesto, Função, 직책, 직위, 직급, 役職, 肩書き`,
  `Expected close, Expected close date, Close date, Closing date, Abschlussdatum, Voraussichtlicher Abschluss,
    Date de clôture, Clôture prévue, Fecha de cierre, Cierre previsto, Data de fechamento, Data de fecho,
    예상 마감일, 마감일, 예상 계약일, 完了予定日, 受注予定日`,
  `Department, Abteilung, Département, Departamento, 부서, 부서명, 部署, 部署名`,
  `Address, Street address, Adresse, Anschrift, Adresse postale, Dirección, Endereço, Morada, 주소, 住所`,
  `City, Town, Ort, Stadt, Ville, Ciudad, Cidade, 도시, 市区町村`,
  `Country, Land, Pays, País, 국가, 나라, 国`,
  `Website, Web site, Homepage, URL, Webseite, Site web, Sitio web, Página web, 웹사이트, 홈페이지, ウェブサイト, ホームページ`,
  noteText,
] as const;
