/**
 * A set of texts outside of the engine's heap, with an order. What a `Set` holds for a while the engine takes for old,
 * and leaves it about when it is gone: of the ids of a long list that is megabytes.
 */
export class TextSet {
  /** The UTF-16 codes of all texts, one behind the other. */
  #codes = new Uint16Array(32_768);
  /** Where each text ends in them, from place 1 on: the first one begins at 0. */
  #ends = new Int32Array(8192);
  #hashes = new Int32Array(8192);
  /** The place of each text, in the slot that its hash names or the next free one; 0: free. */
  #slots = new Int32Array(16_384);
  #size = 0;
  readonly #seed: number;

  /** `chance`, from 0 to 1: where hashes begin. Who does not know it cannot choose texts that all meet in one slot. */
  constructor(chance = 0) {
    this.#seed = Math.floor(chance * 2 ** 30);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a text, and gives whether it was not there. It is put behind the others, and compared with them there. */
  add(text: string): boolean {
    const place = this.#size + 1;
    if (place === this.#ends.length) this.#makeRoom();
    const start = this.#end(this.#size);
    const end = start + text.length;
    if (end > this.#codes.length)
      this.#codes = enlarged(this.#codes, new Uint16Array(Math.max(end, this.#codes.length * 2)));
    let hash = this.#seed;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      this.#codes[start + at] = code;
      hash = Math.imul(hash ^ code, 0x01000193);
    }
    this.#ends[place] = end;
    this.#hashes[place] = hash ^ (hash >>> 15);
    const slot = this.#slotFor(place);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = place;
    this.#size = place;
    return true;
  }

  /** Forgets all but the texts that were added last. */
  keepLast(count: number): void {
    const gone = this.#size - count;
    if (gone <= 0) return;
    const start = this.#end(gone);
    this.#codes.copyWithin(0, start, this.#end(this.#size));
    for (let place = 1; place <= count; place += 1) this.#ends[place] = this.#end(gone + place) - start;
    this.#hashes.copyWithin(1, gone + 1, this.#size + 1);
    this.#size = count;
    this.#slots.fill(0);
    this.#fillSlots();
  }

  /** Where the place of a text stands, or that of an equal one; or the free slot for it. */
  #slotFor(place: number): number {
    const last = this.#slots.length - 1;
    const hash = this.#hashes[place] ?? 0;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const other = this.#slots[slot] ?? 0;
      if (other === 0 || (this.#hashes[other] === hash && this.#areEqual(other, place))) return slot;
    }
  }

  #end(place: number): number {
    return this.#ends[place] ?? 0;
  }

  #areEqual(one: number, other: number): boolean {
    const [start, end, otherStart] = [this.#end(one - 1), this.#end(one), this.#end(other - 1)];
    if (end - start !== this.#end(other) - otherStart) return false;
    for (let at = end - start - 1; at >= 0; at -= 1) {
      if (this.#codes[start + at] !== this.#codes[otherStart + at]) return false;
    }
    return true;
  }

  /** Room for twice as many texts. */
  #makeRoom(): void {
    const room = this.#ends.length * 2;
    this.#ends = enlarged(this.#ends, new Int32Array(room));
    this.#hashes = enlarged(this.#hashes, new Int32Array(room));
    this.#slots = new Int32Array(room * 2);
    this.#fillSlots();
  }

  #fillSlots(): void {
    for (let place = 1; place <= this.#size; place += 1) this.#slots[this.#slotFor(place)] = place;
  }
}

function enlarged<Numbers extends Int32Array | Uint16Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers);
  return larger;
}
