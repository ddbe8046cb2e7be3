import fc from "fast-check";

/** No character has a code point from U+D800 to U+DFFF. */
const surrogates = { first: 0xd800, count: 0x800 };

/**
 * A code point of Unicode, as a string: the unit of `fc.string` in place of "binary", for which fast-check makes a table
 * of all 1.1 million of them in each process, half a second of its time.
 */
export const codePoint = fc.integer({ min: 0, max: 0x10_ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error("no code point");
    return point < surrogates.first ? point : point - surrogates.count;
  },
);
