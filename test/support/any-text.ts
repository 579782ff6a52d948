import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/** Any character, as the unit of a string. The `binary` unit of fast-check takes 130 MB for a table of all of them. */
export const anyCharacter = fc.nat({ max: 0x10ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (character) => {
    if (typeof character !== 'string' || !/^\P{Cs}$/su.test(character)) throw new Error('no character');
    const codePoint = character.codePointAt(0) ?? 0;
    return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count;
  },
);
