import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

/** The pictures that a maker may have, with their most bytes: a page for signing in on a slow network waits for the mark. */
const makerPictures = { mark: 64 * 1024, picture: 256 * 1024 } as const;

export type MakerPicture = keyof typeof makerPictures;

export type Picture = Awaited<ReturnType<typeof readPicture>>;

/** PNG §5.2. */
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** JPEG begins with the marker SOI and that of a segment (ITU-T T.81 annex B). */
const jpegBeginning = Buffer.from([0xff, 0xd8, 0xff]);

const kinds = [
  { end: ".png", type: "image/png", isOf: beginsWith(pngSignature), fault: "is not a PNG file" },
  { end: ".jpg", type: "image/jpeg", isOf: beginsWith(jpegBeginning), fault: "is not a JPEG file" },
  {
    end: ".svg",
    type: "image/svg+xml",
    isOf: (bytes: Buffer) => /^[^<]*(<[?!][^>]*>[^<]*)*<svg[\s>]/.test(bytes.toString("utf8")),
    fault: "is not an SVG file: it does not begin with <svg",
  },
] as const;

/** Refuses a picture that an untrusted user could have written, or that is not of its name's kind. Throws what `refuse` makes. */
export async function readPicture(which: MakerPicture, path: string, { refuse, ...owners }: TrustCheck) {
  const read = await readTrustedFile(path, { ...owners, maximumBytes: makerPictures[which] }, refuse);
  if (read === null) throw refuse(path, "does not exist");
  const bytes = Buffer.from(read);
  const kind = kinds.find(({ end }) => path.endsWith(end));
  if (kind === undefined) throw refuse(path, "is none of .svg, .png and .jpg");
  if (!kind.isOf(bytes)) throw refuse(path, kind.fault);
  return { bytes, type: kind.type };
}

function beginsWith(beginning: Buffer): (bytes: Buffer) => boolean {
  return (bytes) => beginning.equals(bytes.subarray(0, beginning.length));
}
