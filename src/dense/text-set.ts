/**
 * A set of texts outside of the engine's heap, each at a place. What a `Set` holds for a while the engine takes for old,
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
  /** Where hashes begin: who does not know it cannot choose texts that all meet in one slot. */
  readonly #seed = Math.floor(Math.random() * 2 ** 30);

  get size(): number {
    return this.#size;
  }

  /** Adds a text, and gives whether it was not there. */
  add(text: string): boolean {
    const before = this.#size;
    return this.put(text) > before;
  }

  /** Adds a text where it is not there; gives its place: 1 for the one that came first. */
  put(text: string): number {
    const slot = this.#slotOf(text);
    if (this.#slots[slot] === 0) {
      this.#size += 1;
      this.#slots[slot] = this.#size;
    }
    return this.#slots[slot] ?? 0;
  }

  has(text: string): boolean {
    return this.placeOf(text) !== 0;
  }

  /** The place of a text; 0: it is not there. */
  placeOf(text: string): number {
    const slot = this.#slotOf(text); // first: it may put larger slots in the place of these
    return this.#slots[slot] ?? 0;
  }

  /** The text at a place. */
  at(place: number): string {
    let text = '';
    for (let at = this.#end(place - 1); at < this.#end(place); at += 1) {
      text += String.fromCharCode(this.#codes[at] ?? 0);
    }
    return text;
  }

  /** Below 0 where the text at one place comes before that at the other, as for `<`. */
  compare(one: number, other: number): number {
    const [start, otherStart] = [this.#end(one - 1), this.#end(other - 1)];
    const [length, otherLength] = [this.#end(one) - start, this.#end(other) - otherStart];
    for (let at = 0; at < Math.min(length, otherLength); at += 1) {
      const difference = (this.#codes[start + at] ?? 0) - (this.#codes[otherStart + at] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  /** Forgets all but the texts that were added last, whose places begin at 1 again. */
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

  /** The slot of a text, or the free one for it. It is put behind the others, and compared with them there. */
  #slotOf(text: string): number {
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
    return this.#slotFor(place);
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

function enlarged<Cells extends Int32Array | Uint16Array>(cells: Cells, larger: Cells): Cells {
  larger.set(cells);
  return larger;
}
