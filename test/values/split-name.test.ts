import { expect, test } from 'vitest';
import { splitFullName } from '../../src/values/split-name.ts';

test.each([
  // An alphabet: the last word, with the particles before it.
  ['Ada Lovelace', 'Ada', 'Lovelace'],
  ['  Ada   Lovelace ', 'Ada', 'Lovelace'],
  ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
  ['Ludwig Van Beethoven', 'Ludwig', 'Van Beethoven'],
  ['Vincent van der Berg', 'Vincent', 'van der Berg'],
  ['Otto von Bismarck', 'Otto', 'von Bismarck'],
  ['Juan de la Cruz', 'Juan', 'de la Cruz'],
  ['Leonardo da Vinci', 'Leonardo', 'da Vinci'],
  ['Faisal bin Salman', 'Faisal', 'bin Salman'],
  ['José Ortega y Gasset', 'José', 'Ortega y Gasset'],
  ['Van Morrison', 'Van', 'Morrison'],
  ['Jean-Pierre O’Neill', 'Jean-Pierre', 'O’Neill'],
  ['J. R. R. Tolkien', 'J. R. R.', 'Tolkien'],
  ['Ada M. Lovelace', 'Ada M.', 'Lovelace'],
  ['John F. Kennedy', 'John F.', 'Kennedy'],
  ['Sammy Davis Jr.', 'Sammy', 'Davis Jr.'],
  ['Jean DUPONT', 'Jean', 'DUPONT'],
  ['ADA LOVELACE', 'ADA', 'LOVELACE'],
  ['An Nguyễn', 'An', 'Nguyễn'],
  ['János Nagy', 'János', 'Nagy'],
  ['Иван Петров', 'Иван', 'Петров'],
  ['Марина Петрова', 'Марина', 'Петрова'],
  // A comma: the last name first.
  ['Lovelace, Ada', 'Ada', 'Lovelace'],
  ['van Beethoven, Ludwig', 'Ludwig', 'van Beethoven'],
  ['김, 지우', '지우', '김'],
  // Hangul: the family name first.
  ['김지우', '지우', '김'],
  ['김지우'.normalize('NFD'), '지우', '김'],
  ['허준', '준', '허'],
  ['김 지우', '지우', '김'],
  ['남궁민', '민', '남궁'],
  ['제갈공명', '공명', '제갈'],
  ['황보 라', '라', '황보'],
  // Han and Kana: the family name first.
  ['王小明', '小明', '王'],
  ['欧阳修', '修', '欧阳'],
  ['山田 太郎', '太郎', '山田'],
  ['山田　太郎', '太郎', '山田'],
  ['佐々木 希', '希', '佐々木'],
  ['やまだ はなこ', 'はなこ', 'やまだ'],
  ['ヤマダ タロウ', 'タロウ', 'ヤマダ'],
])('splits %s', (fullName, first_name, last_name) => {
  expect(splitFullName(fullName)).toEqual({ first_name, last_name });
});

test.each([
  // Titles, degrees and suffixes.
  'Herr Müller',
  'Dr. Ada Lovelace',
  'Frau Dr. Müller',
  'Mme Curie',
  'Ada Lovelace PhD',
  'Ada Lovelace, MBA',
  'Lovelace, Dr. Ada',
  'Ahmet Bey',
  '김 대리',
  '김대리',
  '王先生',
  '田中 様',
  // Middle names or two family names.
  'Gabriel García Márquez',
  'Mary Jane Watson',
  'Juan García de la Cruz',
  'García Márquez, Gabriel',
  'Martin Luther King Jr.',
  // Patronymics, and family names that come first.
  'Иван Петрович',
  'Петров Иван Иванович',
  'Петров Иван',
  'Ivan Ivanovich',
  'Nguyễn Văn An',
  'Nguyen An',
  'Thị Hằng',
  'Nagy János',
  'Zhang Wei',
  'DUPONT Jean',
  // Text that is no name.
  'Ada Lovelace - Acme',
  'Ada - Acme',
  'Ada Lovelace, Acme',
  'Cher',
  'van Beethoven',
  'King, Jr.',
  'Ada & Charles',
  'Lovelace, Ada, Countess',
  'Ada (Sales)',
  'R2 D2',
  '남궁',
  '홍길동 대리',
  '지우 김',
  '주식회사한빛',
  '山田太郎',
  '山田',
  'ジョン・スミス',
  '김지우 Jiwoo',
])('does not split %s', (fullName) => {
  expect(splitFullName(fullName)).toEqual({ first_name: fullName });
});
