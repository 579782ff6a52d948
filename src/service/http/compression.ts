import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { WireResponse } from '../../contract/grammar.ts';

export type Encoding = 'br' | 'gzip';

/** The size in bytes from which a response is compressed. */
export const minCompressed = 1024;

/** The largest header Accept-Encoding that is read. Browsers send less than 50 characters. */
const maxHeader = 500;

/** A response in each coding takes up to 0.2 ms below this size, and a task of another thread 0.1 ms more. */
const maxOnThisThread = 32 * 1024;

const brotli = (size: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: size },
});

const compressors = {
  br: {
    here: (content: Buffer) => brotliCompressSync(content, brotli(content.length)),
    elsewhere: (content: Buffer) => promisify(brotliCompress)(content, brotli(content.length)),
  },
  gzip: {
    here: (content: Buffer) => gzipSync(content, { level: 3 }),
    elsewhere: (content: Buffer) => promisify(gzip)(content, { level: 3 }),
  },
};

/**
 * Chooses the coding of a response by the header Accept-Encoding (RFC 9110, 12.5.3); undefined for none. A small response
 * is compressed only if the client refuses other ones.
 */
export function chooseEncoding(header: string | undefined, bytes: number): Encoding | undefined {
  if (header === undefined || header.length > maxHeader) return undefined;
  const weights = new Map(header.split(',').map(parseWeight));
  const readWeight = (coding: string, missing: number) => weights.get(coding) ?? weights.get('*') ?? missing;
  const identity = readWeight('identity', Number.MIN_VALUE);
  if (bytes < minCompressed && identity > 0) return undefined;
  const best = readWeight('gzip', 0) > readWeight('br', 0) ? 'gzip' : 'br';
  const weight = readWeight(best, 0);
  return weight > 0 && weight >= identity ? best : undefined;
}

/** Parses `gzip;q=0.5` to a coding and its weight. */
function parseWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.toLowerCase().split(';');
  const quality = parameters.map((text) => text.trim()).find((text) => text.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice('q='.length));
  return [coding.trim(), weight <= 1 ? weight : 0];
}

type Content = Buffer | Promise<Buffer>;

/** The contents of each response by coding: that of the OpenAPI document is sent several times. */
const contents = new WeakMap<WireResponse, Map<Encoding | undefined, Content>>();

/** Returns the text of a response as bytes, compressed if there is a coding: a long one on another thread. */
export function encodeText(response: WireResponse, text: string, encoding: Encoding | undefined): Content {
  const cached = contents.get(response) ?? new Map<Encoding | undefined, Content>();
  const content = cached.get(encoding) ?? encodeBytes(Buffer.from(text), encoding);
  contents.set(response, cached.set(encoding, content));
  return content;
}

function encodeBytes(bytes: Buffer, encoding: Encoding | undefined): Content {
  if (!encoding) return bytes;
  const { here, elsewhere } = compressors[encoding];
  return bytes.length > maxOnThisThread ? elsewhere(bytes) : here(bytes);
}
