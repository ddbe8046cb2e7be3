import { piecesOf, silenceMilliseconds } from "./body.ts";
import { Unreachable } from "./problem.ts";

/** Bytes of the longest file that is taken: the agent has none of that size. */
const largestFile = 2 ** 30;

/** A whole file; `onBytes` hears how many bytes of it are here. Throws Unreachable where it ends early. */
export async function fileOf(
  { body, headers }: Response,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Blob> {
  const pieces: BlobPart[] = [];
  let bytes = 0;
  try {
    for await (const piece of piecesOf(body ?? new Blob().stream(), silenceMilliseconds)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > largestFile) throw new RangeError("no end of the file");
      onBytes(bytes);
    }
  } catch (error) {
    throw new Unreachable(false, false, error);
  }
  return new Blob(pieces, { type: headers.get("content-type") ?? "" });
}
