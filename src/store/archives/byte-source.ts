const nothing: Buffer = Buffer.alloc(0);

/** Work that stops wherever it needs the next piece, without a promise for each of its steps. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Bytes that come in pieces of any length, asked for by number. */
export type ByteSource = ReturnType<typeof createByteSource>;

/** `early` makes the error of a source that ends after so many bytes, before what is asked for. */
export function createByteSource(early: (passed: number) => Error) {
  let piece = nothing;
  let passed = 0;
  let isAtEnd = false;
  return {
    passed: () => passed,
    some,
    exactly,
    skip,
    /** The next piece, once those before it are used up; null: there are no more. */
    feed: (next: Uint8Array | null): void => {
      piece = next === null ? nothing : Buffer.from(next.buffer, next.byteOffset, next.length);
      isAtEnd = next === null;
    },
  };

  /** The next bytes, as many as there are at hand and at most `most`; none at the end. */
  function* some(most: number): Steps<Buffer> {
    while (piece.length === 0 && !isAtEnd) yield;
    const taken = piece.subarray(0, most);
    piece = piece.subarray(taken.length);
    passed += taken.length;
    return taken;
  }

  function* exactly(bytes: number): Steps<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = bytes; missing > 0; ) {
      const part = yield* some(missing);
      if (part.length === 0) throw early(passed);
      // Most are in one piece.
      if (part.length === bytes) return part;
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  function* skip(bytes: number): Steps<void> {
    for (let missing = bytes; missing > 0; ) {
      const { length } = yield* some(missing);
      if (length === 0) throw early(passed);
      missing -= length;
    }
  }
}
