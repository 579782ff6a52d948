import { createWorkbookParts, createZip } from '../import/workbook-file.ts';

const textCell = (text: string) => `<c t="str"><v>${text}</v></c>`;

/** The files that the examples of the help and the guides read, by name. */
export const exampleFiles = {
  'minutes.md': '# Minutes\n',
  'contact.json': '{"first_name": "Ada"}',
  'contact.yaml': 'first_name: Jiwoo\ncustom_fields:\n  Language: French\n',
  'notes.md': 'They met.\n',
  'key.txt': 'key-for-tests\n',
  'second-part.vtt': 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Mina>Welcome back.\n',
  'call.vtt': 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Mina>Good morning.\n',
  'call.srt': '1\n00:00:01,000 --> 00:00:02,000\nMina: Good morning.\n',
  'people.csv': 'email,first_name\nada@analytical.example,Ada\n',
  'visitors.csv': 'E-mail,First name,Notes,Shoe size\nada@analytical.example,Ada,Tall,39\n',
  'guests.xlsx': createZip(
    createWorkbookParts({
      sheets: '<sheet name="Visitors" r:id="r1"/>',
      rows: `<row>${textCell('email')}</row><row>${textCell('ada@analytical.example')}</row>`,
    }),
  ),
  'calls.csv': 'Company,Date,Notes\n한빛물류,2026-05-01,Wants a quote.\n',
  'minutes.xlsx': createZip(
    createWorkbookParts({
      rows: [
        ['Company', 'Called on', 'Call notes'],
        ['한빛물류', '2026-05-01', 'Wants a quote.'],
      ]
        .map((cells) => `<row>${cells.map(textCell).join('')}</row>`)
        .join(''),
    }),
  ),
  'changes.ndjson': [
    '{"command":"organizations create","name":"Analytical","domain":"analytical.example"}',
    '{"command":"contacts create","first_name":"Ada","email":"ada@analytical.example","organization":"$1.id"}',
    '{"command":"notes create","organization":"$2.organization_id","body":"Wants a quote."}\n',
  ].join('\n'),
  'companies.csv': 'name,domain\nAnalytical,analytical.example\n',
  'leads.csv': 'name,domain,Rooms\nAnalytical,analytical.example,3\n',
  'deals.csv': 'key,domain,status\nDEAL-1,hanbit-cold.example,Won\n',
  'readers.csv': 'E-mail\njiwoo.kim@hanbit-cold.example\n',
  'calendar.ics':
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20240501T100000Z\r\nSUMMARY:Visit\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
};
