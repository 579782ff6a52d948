import fc from 'fast-check';

const halves = { first: 0xd800, count: 0x800 };

/**
 * Any character, as the unit of a string: what fast-check calls 'binary'. It makes a table of all of them to find where
 * one stands: 130 MB in the worker, which each process that is started from then on pays for.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - halves.count }).map(
  (place) => String.fromCodePoint(place < halves.first ? place : place + halves.count),
  (character) => {
    if (typeof character !== 'string' || !/^\P{Cs}$/su.test(character)) throw new Error('no character');
    const point = character.codePointAt(0) ?? 0;
    return point < halves.first ? point : point - halves.count;
  },
);
