import { expect, test } from 'vitest';
import { createPersonFinder } from '../../src/actions/person.ts';

const people = [
  { email: 'jiwoo@hanbit.example', first_name: 'Jiwoo', last_name: 'Kim' },
  { email: 'mj@hanbit.example', first_name: '민재', last_name: '오' },
  { email: 'w@hanbit.example', first_name: '지우', last_name: '김' },
  { email: 'k.mori@tidewater.example', first_name: '健二', last_name: '森' },
  { email: 'rui.tavares@tidewater.example', first_name: '', last_name: '' },
  { email: 'anna@one.example', first_name: 'Anna', last_name: 'Berg' },
  { email: 'anna@two.example', first_name: 'Anna', last_name: 'Petersen' },
  { email: 'etienne@x.example', first_name: 'Étienne', last_name: 'de la Roche' },
];

test.each([
  ['Jiwoo: send the offer', 'jiwoo@hanbit.example'],
  ['Jiwoo sends the offer', 'jiwoo@hanbit.example'],
  ['[Jiwoo Kim] send the offer', 'jiwoo@hanbit.example'],
  ['@jiwoo send the offer', 'jiwoo@hanbit.example'],
  ['Jiwoo가 견적서를 보낸다', 'jiwoo@hanbit.example'],
  ['ETIENNE demande le prix', 'etienne@x.example'],
  ['Herr Petersen lässt die Dichtung tauschen', 'anna@two.example'],
  ['Anna Berg sends the offer', 'anna@one.example'],
  ['O Rui vai ao Porto', 'rui.tavares@tidewater.example'],
  ['지우가 견적서를 보낸다', 'w@hanbit.example'],
  ['지우님: 견적서', 'w@hanbit.example'],
  ['김지우 님이 견적서를 보낸다', 'w@hanbit.example'],
  ['오민재 과장이 확인한다', 'mj@hanbit.example'],
  ['森が表示器を探す。', 'k.mori@tidewater.example'],
  ['森さんが表示器を探す。', 'k.mori@tidewater.example'],
  ['森: 表示器を探す', 'k.mori@tidewater.example'],
  ['Anna sends the offer', undefined],
  ['Jiwoong sends the offer', undefined],
  ['지우개를 산다', undefined],
  ['森林の写真を送る', undefined],
  ['Send Jiwoo the offer', undefined],
  ['', undefined],
])('finds the person of "%s"', (text, email) => {
  expect(createPersonFinder(people)(text)?.email).toBe(email);
});
