import { Parser } from 'saxen';
import yauzl, { type Entry } from 'yauzl';

/** Handlers for the elements of a document. Names have no prefix. */
export interface Handlers {
  open(name: string, attributes: () => Record<string, string>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Characters without the end of a tag or text. The parser scans an unfinished one again with each chunk; the longest
 * text of a cell, 32,767 characters, takes at most 230,000 with its escapes.
 */
const longest = 512 * 1024;

/**
 * Parses a document as it comes, and yields after each chunk.
 * @throws {WorkbookError} if it is not XML
 */
export async function* parsedChunks(
  bytes: AsyncIterable<Uint8Array>,
  handlers: Handlers,
): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pending = 0;
  const parser = parserWith(handlers, () => {
    pending = 0;
  });
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    pending += text.length;
    parser.write(text);
    if (pending > longest) throw new WorkbookError('it has a text that is too long');
    yield;
  }
  decoder.decode();
  const error = parser.end();
  if (error) throw new WorkbookError(`its XML is damaged: ${error.message}`);
}

/** Parses a document whole. */
export async function parseXml(bytes: AsyncIterable<Uint8Array>, handlers: Handlers): Promise<void> {
  for await (const _ of parsedChunks(bytes, handlers));
}

function parserWith({ open, close, text }: Handlers, onProgress: () => void): Parser {
  const parser = new Parser();
  parser.on('openTag', (name, attributes, decode) => {
    onProgress();
    open(localName(name), () => {
      const decoded = Object.entries(attributes()).map(([key, value]) => [key, decode(value)]);
      return Object.fromEntries(decoded);
    });
  });
  parser.on('closeTag', (name) => {
    onProgress();
    close?.(localName(name));
  });
  parser.on('text', (value, decode) => {
    onProgress();
    text?.(decode(value));
  });
  parser.on('cdata', (value) => {
    onProgress();
    text?.(value);
  });
  parser.on('attention', () => {
    throw new WorkbookError('it has a document type declaration');
  });
  parser.on('error', (error) => {
    throw new WorkbookError(`its XML is damaged: ${error.message}`);
  });
  return parser;
}

/** A name without the prefix of its namespace, which each program chooses. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The defect of a workbook, as the end of a sentence: `it is encrypted`. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
}

/** The parts of a workbook: the files of a ZIP archive. */
export interface Archive {
  /**
   * The bytes of a part; undefined if there is none.
   * @throws {WorkbookError} if it has more bytes than `most`
   */
  read(part: string, most: number): Promise<AsyncIterable<Uint8Array> | undefined>;
  close(): void;
}

/** A workbook has a few parts for each worksheet; an archive with more is something else. */
const mostParts = 10_000;

/** Opens an archive. Nothing of it is written to the disk, whatever its parts are called. */
export async function openArchive(file: string): Promise<Archive> {
  const zip = await yauzl.openPromise(file, { autoClose: false });
  const parts = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (parts.size >= mostParts) throw new WorkbookError(`it has more than ${mostParts} parts`);
      parts.set(entry.fileName.toLowerCase(), entry);
    }
  } catch (error) {
    zip.close();
    throw error;
  }
  return {
    async read(part, most) {
      const entry = parts.get(part.toLowerCase());
      if (!entry) return undefined;
      // yauzl fails if there are more bytes than the archive says.
      if (entry.uncompressedSize > most) {
        throw new WorkbookError(`its part ${part} is larger than ${most / 1024 / 1024} MB`);
      }
      return zip.openReadStreamPromise(entry);
    },
    close: () => zip.close(),
  };
}

/** Collects the text of an item from all its runs, without phonetic readings. */
export function createTextReader() {
  let text = '';
  let isText = false;
  let isPhonetic = false;
  return {
    open(name: string) {
      if (name === 't') isText = !isPhonetic;
      if (name === 'rPh') isPhonetic = true;
    },
    close(name: string) {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
    },
    text(value: string) {
      if (isText) text += value;
    },
    /** Returns the collected text and starts again. */
    take(): string {
      const taken = unescapeText(text);
      text = '';
      return taken;
    },
  };
}

/** Decodes characters that XML cannot contain: `_x000D_` is a carriage return. */
export function unescapeText(text: string): string {
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
