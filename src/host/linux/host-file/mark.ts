import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

/** A mark is a drawing: a page for signing in on a slow network waits for it. */
const maximumBytes = 64 * 1024;

/** PNG §5.2. */
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The picture of a maker, and its media type by its bytes. */
export interface Mark {
  readonly bytes: Buffer;
  readonly type: "image/png" | "image/svg+xml";
}

/** Refuses a picture that an untrusted user could have written, or that is not of its name's kind. Throws what `refuse` makes. */
export async function readMark(path: string, { refuse, ...owners }: TrustCheck): Promise<Mark> {
  const read = await readTrustedFile(path, { ...owners, maximumBytes }, refuse);
  if (read === null) throw refuse(path, "does not exist");
  const bytes = Buffer.from(read);
  const isPng = pngSignature.equals(bytes.subarray(0, pngSignature.length));
  if (path.endsWith(".png") && !isPng) throw refuse(path, "is not a PNG file");
  const isSvg = /^[^<]*(<[?!][^>]*>[^<]*)*<svg[\s>]/.test(bytes.toString("utf8"));
  if (path.endsWith(".svg") && !isSvg) throw refuse(path, "is not an SVG file: it does not begin with <svg");
  return { bytes, type: isPng ? "image/png" : "image/svg+xml" };
}
