/** Returns two independent 32-bit hashes of a text: FNV-1a, and the same with another factor. */
export function hashText(text: string): readonly [first: number, second: number] {
  let first = 0x811c9dc5 | 0; // a signed integer of 32 bits, with which the loop takes half the time
  let second = first;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x5bd1e995);
  }
  return [first >>> 0, second >>> 0];
}
