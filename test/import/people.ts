/** A file of people with the expected action of each row. */
export interface People {
  readonly text: string;
  /** The number of rows by their action in an empty workspace with a number field `Rooms`. */
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

/** Of each hundred rows, ten repeat an earlier row, ten change it, five are invalid, and two match two people. */
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
  const other = index - 70; // has a row that creates it, and no other row
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

/** Returns a number of rows, always the same ones. `companies` is the number of organizations in them. */
export function people(rows: number, companies = 0): People {
  const counts = { rows, create: 0, update: 0, same: 0, refused: 0, unknown: 0 };
  const lines = Array.from({ length: rows }, (_, index) => {
    counts[kindOf(index)] += 1;
    return cellsOf(index, companies).join(',');
  });
  return { text: `email,phone,first_name,last_name,organization,Rooms\r\n${lines.join('\r\n')}\r\n`, counts };
}
