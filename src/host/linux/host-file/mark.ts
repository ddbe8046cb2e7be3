import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

/** A mark is a drawing: a page for signing in on a slow network waits for it. */
const maximumBytes = 64 * 1024;

/** PNG §5.2. */
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Refuses a picture that an untrusted user could have written, or that is not of its name's kind. Throws what `refuse` makes. */
export async function checkMark(path: string, { refuse, ...owners }: TrustCheck): Promise<void> {
  const bytes = await readTrustedFile(path, { ...owners, maximumBytes }, refuse);
  if (bytes === null) throw refuse(path, "does not exist");
  const isPng = pngSignature.equals(bytes.subarray(0, pngSignature.length));
  if (path.endsWith(".png") && !isPng) throw refuse(path, "is not a PNG file");
  const isSvg = /^[^<]*(<[?!][^>]*>[^<]*)*<svg[\s>]/.test(Buffer.from(bytes).toString("utf8"));
  if (path.endsWith(".svg") && !isSvg) throw refuse(path, "is not an SVG file: it does not begin with <svg");
}
