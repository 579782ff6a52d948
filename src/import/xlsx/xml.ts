import { Parser } from 'saxen';
import { WorkbookError } from './archive.ts';

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
