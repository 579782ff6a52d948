type Kind = 'create' | 'update' | 'same' | 'refused' | 'left_out';

/**
 * Of each hundred rows, ten repeat an earlier row, ten change it, three have an invalid cell, two are invalid, and two
 * match two people.
 */
function getKind(index: number): Kind {
  const position = index % 100;
  if (index < 100 || position >= 27) return 'create';
  if (position >= 20) return position < 23 ? 'left_out' : 'refused';
  return position % 2 === 0 ? 'same' : 'update';
}

const formatPhone = (index: number) => `+8210${30_000_000 + index}`;
const createPersonCells = (index: number, companies: number) => [
  `p${index}@x.example`,
  formatPhone(index),
  `First${index}`,
  `Last ${index}`,
  companies > 0 && index % 3 === 0 ? `Company ${index % companies}` : '',
  String(index % 7),
];

function createRowCells(index: number, companies: number): string[] {
  const [email = '', phone = '', ...rest] = createPersonCells(index, companies);
  const other = index - 70; // has a row that creates it, and no other row
  switch (getKind(index)) {
    case 'create':
      return [email, phone, ...rest];
    case 'same':
      return [`P${other}@X.example`, '', '', `Last ${other}`, '', String(other % 7)];
    case 'update':
      return [`q${other}@y.example`, `0${formatPhone(other).slice(3)}`, '', '', '', ''];
    case 'left_out':
    case 'refused':
      return createInvalidCells(index, [email, phone, ...rest]);
  }
}

function createInvalidCells(index: number, [email = '', phone = '', ...rest]: string[]): string[] {
  const position = index % 100;
  if (position >= 25) return [`p${index - 70}@x.example;p${index - 60}@x.example`, '', ...rest];
  const invalidRows = [
    ['no email', phone, ...rest],
    [email, 'call me', ...rest],
    [email, phone, ...rest.slice(0, 3), 'many'],
    [email, phone, ...rest, 'over'],
    ['', '', ...rest],
  ];
  return invalidRows[position - 20] ?? [];
}

/**
 * Creates a file with a number of rows, the same in each run. `companies`: the number of organizations in them. `counts`:
 * the rows by their action in an empty workspace with a number field `Rooms`.
 */
export function createPeopleFile(rows: number, companies = 0) {
  const counts = { rows, create: 0, update: 0, same: 0, refused: 0, unknown: 0, left_out: 0 };
  const lines = Array.from({ length: rows }, (_, index) => {
    const kind = getKind(index);
    counts[kind] += 1;
    if (kind === 'left_out') counts.create += 1;
    return createRowCells(index, companies).join(',');
  });
  return { text: `email,phone,first_name,last_name,organization,Rooms\r\n${lines.join('\r\n')}\r\n`, counts };
}
