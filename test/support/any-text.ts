import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/** Any character, as the unit of a string. The `binary` unit of fast-check takes 130 MB for a table of all of them. */
export const anyCharacter = fc.nat({ max: 0x10ffff - surrogates.count }).map(
  (place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count),
  (character) => {
    if (typeof character !== 'string' || !/^\P{Cs}$/su.test(character)) throw new Error('no character');
    const point = character.codePointAt(0) ?? 0;
    return point < surrogates.first ? point : point - surrogates.count;
  },
);
