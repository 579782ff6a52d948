import { crc32, deflateRawSync } from 'node:zlib';

/** A part of a ZIP archive, with a size that may be a lie. */
interface Part {
  readonly bytes: Buffer;
  readonly size?: number;
}

const headerOf = (name: string, { bytes, size = bytes.length }: Part, packed: Buffer) => {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0); // version
  header.writeUInt16LE(8, 4); // deflate
  header.writeUInt32LE(crc32(bytes), 10);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(size, 18);
  header.writeUInt16LE(Buffer.byteLength(name), 22);
  return header;
};

/** A ZIP archive of parts by their names. */
export function zipOf(parts: Readonly<Record<string, string | Part>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, given] of Object.entries(parts)) {
    const part = typeof given === 'string' ? { bytes: Buffer.from(given) } : given;
    const packed = deflateRawSync(part.bytes);
    const header = headerOf(name, part, packed);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), header, place, Buffer.from(name));
    files.push(file);
    offset += file.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, entries, Buffer.from('PK\x05\x06'), end]);
}

const relations = (...all: readonly string[]) =>
  `<Relationships>${all
    .map((one, at) => {
      const [type, target] = one.split(' ');
      return `<Relationship Id="r${at + 1}" Type="http://x/${type}" Target="${target}"/>`;
    })
    .join('')}</Relationships>`;

/** What a workbook of a test has; rows are XML. */
interface Content {
  readonly rows: string;
  readonly codes?: readonly string[];
  readonly texts?: string;
  readonly sheets?: string;
  readonly properties?: string;
}

/** The parts of a workbook with one sheet, whose cell styles have the number formats `codes`. */
export function workbookParts({ rows, codes = [], texts = '', sheets, properties = '' }: Content) {
  const formats = codes.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`);
  const styles = codes.map(
    (code, at) => `<xf numFmtId="${/^\d+$/.test(code) && code.length === 2 ? code : 200 + at}"/>`,
  );
  return {
    '_rels/.rels': relations('officeDocument xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns:r="r">${properties}<sheets>${sheets ?? '<sheet name="One" r:id="r1"/>'}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      'worksheet worksheets/sheet1.xml',
      'styles /xl/styles.xml',
      'sharedStrings sharedStrings.xml',
      'worksheet worksheets/sheet1.xml',
    ),
    'xl/styles.xml': `<styleSheet><numFmts>${formats.join('')}</numFmts><cellStyleXfs><xf/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${texts}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet><cols><c/></cols><sheetData>${rows}</sheetData><c><v>9</v></c></worksheet>`,
  };
}
