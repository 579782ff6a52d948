import { Parser } from 'saxen';
import yauzl, { type Entry } from 'yauzl';

/** An element of an XML document. Names have no prefix. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  /** The text directly in the element. */
  text: string;
}

/**
 * Maximum characters without the end of a tag or text. The parser scans an unfinished one again with each chunk. The
 * longest text of a cell, 32,767 characters, takes at most 230,000 with its escapes.
 */
const maxTokenLength = 512 * 1024;

/** Maximum elements within an element. A full row has 50,000. */
const maxDescendants = 1_000_000;

/**
 * Yields the elements at any of the paths `PARENT/NAME`, with all elements in them, after each chunk.
 * @throws {WorkbookError} if it is not XML
 */
async function* parseElements(bytes: AsyncIterable<Uint8Array>, paths: readonly string[]) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const openNames: string[] = [];
  const openElements: Element[] = [];
  let elements: Element[] = [];
  let descendants = 0;
  let tokenLength = 0;
  const addText = (text: string) => {
    tokenLength = 0;
    const element = openElements.at(-1);
    if (element) element.text += text;
  };
  const parser = new Parser()
    .on('openTag', (prefixedName, readAttributes, decode) => {
      tokenLength = 0;
      const name = prefixedName.slice(prefixedName.indexOf(':') + 1);
      const parent = openElements.at(-1);
      if (parent || paths.includes(`${openNames.at(-1)}/${name}`)) {
        const attributes = Object.entries(readAttributes()).map(([key, value]) => [key, decode(value)]);
        const element = { name, attributes: Object.fromEntries(attributes), children: [], text: '' };
        parent?.children.push(element);
        openElements.push(element);
        descendants = parent ? descendants + 1 : 0;
        if (descendants > maxDescendants) throw new WorkbookError('it has an element that is too large');
      }
      openNames.push(name);
    })
    .on('closeTag', () => {
      tokenLength = 0;
      openNames.pop();
      const element = openElements.pop();
      if (element && openElements.length === 0) elements.push(element);
    })
    .on('text', (text, decode) => addText(decode(text)))
    .on('cdata', addText)
    .on('attention', () => {
      throw new WorkbookError('it has a document type declaration');
    })
    .on('error', (error) => {
      throw new WorkbookError(`its XML is damaged: ${error.message}`);
    });
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    tokenLength += text.length;
    parser.write(text);
    if (tokenLength > maxTokenLength) throw new WorkbookError('it has a text that is too long');
    yield elements;
    elements = [];
  }
  decoder.decode();
  const error = parser.end();
  if (error) throw new WorkbookError(`its XML is damaged: ${error.message}`);
}

/** The defect of a workbook, as the end of a sentence: `it is encrypted`. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
}

/** A workbook has a few parts for each worksheet; an archive with more is something else. */
const maxParts = 10_000;

/** The parts of a workbook: the XML files of a ZIP archive. */
export type Archive = Awaited<ReturnType<typeof openArchive>>;

/** Opens an archive. Writes nothing to the disk, so the names of its parts are harmless. */
export async function openArchive(file: string) {
  const zip = await yauzl.openPromise(file, { autoClose: false });
  const parts = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (parts.size >= maxParts) throw new WorkbookError(`it has more than ${maxParts} parts`);
      parts.set(entry.fileName.toLowerCase(), entry);
    }
  } catch (error) {
    zip.close();
    throw error;
  }
  return {
    has: (part: string) => parts.has(part.toLowerCase()),
    /**
     * Yields batches of the elements of a part at any of the paths `PARENT/NAME`. Yields nothing if the part does not
     * exist.
     * @throws {WorkbookError} if the part has more than `maxSize` bytes or is not XML
     */
    async *readElements(part: string, maxSize: number, ...paths: readonly string[]) {
      const entry = parts.get(part.toLowerCase());
      if (!entry) return;
      // yauzl fails if there are more bytes than the archive says.
      if (entry.uncompressedSize > maxSize) {
        throw new WorkbookError(`its part ${part} is larger than ${maxSize / 1024 / 1024} MB`);
      }
      yield* parseElements(await zip.openReadStreamPromise(entry), paths);
    },
    close: () => zip.close(),
  };
}
