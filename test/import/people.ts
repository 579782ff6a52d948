/** A sheet of people of whom it is known what becomes of each row. */
export interface People {
  readonly text: string;
  /** Rows by what becomes of them in an empty workspace that has a number field `Rooms`. */
  readonly counts: {
    rows: number;
    create: number;
    update: number;
    same: number;
    refused: number;
    unknown: number;
  };
}

type Kind = 'create' | 'update' | 'same' | 'refused';

/** Of each hundred rows ten are the same as one before, ten change it, five are faulty and two name two people. */
function kindOf(index: number): Kind {
  const place = index % 100;
  if (index < 100 || place >= 27) return 'create';
  if (place >= 20) return 'refused';
  return place % 2 === 0 ? 'same' : 'update';
}

const phoneOf = (index: number) => `+8210${30_000_000 + index}`;
const person = (index: number, companies: number) => [
  `p${index}@x.example`,
  phoneOf(index),
  `First${index}`,
  `Last ${index}`,
  companies > 0 && index % 3 === 0 ? `Company ${index % companies}` : '',
  String(index % 7),
];

function cellsOf(index: number, companies: number): string[] {
  const [email = '', phone = '', ...rest] = person(index, companies);
  const other = index - 70; // one that is made by a row of its own, and that no other row is about
  switch (kindOf(index)) {
    case 'create':
      return [email, phone, ...rest];
    case 'same':
      return [`P${other}@X.example`, '', '', `Last ${other}`, '', String(other % 7)];
    case 'update':
      return [`q${other}@y.example`, `0${phoneOf(other).slice(3)}`, '', '', '', ''];
    case 'refused':
      return refused(index, [email, phone, ...rest]);
  }
}

function refused(index: number, [email = '', phone = '', ...rest]: string[]): string[] {
  const place = index % 100;
  if (place >= 25) return [`p${index - 70}@x.example;p${index - 60}@x.example`, '', ...rest];
  const faults = [
    ['no email', phone, ...rest],
    [email, 'call me', ...rest],
    [email, phone, ...rest.slice(0, 3), 'many'],
    [email, phone, ...rest, 'over'],
    ['', '', ...rest],
  ];
  return faults[place - 20] ?? [];
}

/** So many rows, the same ones each time. `companies`: how many organizations they name. */
export function people(rows: number, companies = 0): People {
  const counts = { rows, create: 0, update: 0, same: 0, refused: 0, unknown: 0 };
  const lines = Array.from({ length: rows }, (_, index) => {
    counts[kindOf(index)] += 1;
    return cellsOf(index, companies).join(',');
  });
  return { text: `email,phone,first_name,last_name,organization,Rooms\r\n${lines.join('\r\n')}\r\n`, counts };
}
