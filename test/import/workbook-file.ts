import { crc32, deflateRawSync } from 'node:zlib';

/** A part of a ZIP archive. The declared size may be wrong, and that of deflated bytes must be declared. */
type ZipPart =
  | { readonly bytes: Buffer; readonly size?: number }
  | { readonly deflated: Buffer; readonly size: number };

const createPartHeader = (name: string, part: ZipPart, compressed: Buffer) => {
  const { bytes, size } = 'bytes' in part ? { size: part.bytes.length, ...part } : { ...part, bytes: '' };
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0); // version
  header.writeUInt16LE(8, 4); // deflate
  header.writeUInt32LE(crc32(bytes), 10);
  header.writeUInt32LE(compressed.length, 14);
  header.writeUInt32LE(size, 18);
  header.writeUInt16LE(Buffer.byteLength(name), 22);
  return header;
};

/** Creates a ZIP archive of named parts. */
export function createZip(parts: Readonly<Record<string, string | ZipPart>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const part = typeof content === 'string' ? { bytes: Buffer.from(content) } : content;
    const compressed = 'bytes' in part ? deflateRawSync(part.bytes) : part.deflated;
    const header = createPartHeader(name, part, compressed);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(name), compressed]);
    const directoryFields = Buffer.alloc(14);
    directoryFields.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), header, directoryFields, Buffer.from(name));
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

const formatRelationships = (...relationships: readonly string[]) =>
  `<Relationships>${relationships
    .map((one, index) => {
      const [type, target] = one.split(' ');
      return `<Relationship Id="r${index + 1}" Type="http://x/${type}" Target="${target}"/>`;
    })
    .join('')}</Relationships>`;

/** The content of a workbook; rows are XML. */
interface WorkbookContent {
  readonly rows: string;
  readonly codes?: readonly string[];
  readonly texts?: string;
  readonly sheets?: string;
  readonly properties?: string;
}

/** Creates the parts of a workbook with one sheet. Its cell styles have the number formats `codes`. */
export function createWorkbookParts({
  rows,
  codes = [],
  texts = '',
  sheets,
  properties = '',
}: WorkbookContent) {
  const formats = codes.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`);
  const styles = codes.map(
    (code, index) => `<xf numFmtId="${/^\d+$/.test(code) && code.length === 2 ? code : 200 + index}"/>`,
  );
  return {
    '_rels/.rels': formatRelationships('officeDocument xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns:r="r">${properties}<sheets>${sheets ?? '<sheet name="One" r:id="r1"/>'}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': formatRelationships(
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
