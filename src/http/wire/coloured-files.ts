import { crc32 } from "node:zlib";
import type Koa from "koa";
import { accentOf } from "../../contract/console/accents.ts";
import { type Content, readOnce, sendCoded } from "./content-codings.ts";
import { fileHeaders, requireReading } from "./static-files.ts";

/** The console's icons for phones, which scripts/make-icons.sh draws; iOS asks for the last by its name. */
const iconPath = /^\/(icon-192|icon-512|apple-touch-icon)\.png$/;

/** The style that colours the documents; the console's own pages have the colour from the greeting and the status. */
const stylePath = "/accent.css";

/** Serves the files in the device's colour (console.accent). False: another request. `directory`: the console's. */
export function createColouredFiles(
  directory: string,
  accent: () => string,
): (ctx: Koa.Context) => Promise<boolean> {
  const readFile = (path: string) => {
    const [light, dark] = accentOf(accent());
    if (path === stylePath) return styleIn(light, dark);
    return iconPath.test(path) ? readIcon(`${directory}${path}`, light) : null;
  };
  return async (ctx) => {
    const file = await readFile(ctx.path);
    if (file === null) return false;
    requireReading(ctx.method);
    ctx.set(fileHeaders);
    ctx.set("Cache-Control", "no-cache");
    sendCoded(ctx, { ...file, coding: "identity" }, file.type);
    return true;
  };
}

interface ColouredFile extends Content {
  readonly type: string;
}

function styleIn(light: string, dark: string): ColouredFile {
  const text = `:root{--accent-light:${light};--accent-dark:${dark}}`;
  return { bytes: Buffer.from(text), etag: `"${light}${dark}"`, type: "text/css; charset=utf-8" };
}

/** null: it was removed since the start. */
async function readIcon(path: string, colour: string): Promise<ColouredFile | null> {
  const grey = await readOnce(path);
  if (grey === null) return null;
  // One address has several colours, one after the other.
  const etag = `${grey.etag.slice(0, -1)}-${colour.slice(1)}"`;
  return { bytes: inColour(grey.bytes, colour), etag, type: "image/png" };
}

/** Bytes of the signature of a PNG and of its first chunk, which has the type of its colours (PNG §5.2, §11.2.1). */
const headBytes = 33;

/**
 * A grey PNG, of a byte for each pixel, in a colour: where it was black it has the colour, where it was white it stays so.
 * The greys become places in a palette, so that one drawing serves every colour, and no pixel is computed.
 */
function inColour(grey: Buffer, colour: string): Buffer {
  const head = Buffer.from(grey.subarray(16, 29));
  head[9] = 3;
  const full = Buffer.from(colour.slice(1), "hex");
  const palette = Buffer.alloc(256 * 3);
  for (let place = 0; place < palette.length; place += 1) {
    const channel = full[place % 3] ?? 0;
    palette[place] = Math.round(channel + ((255 - channel) * Math.floor(place / 3)) / 255);
  }
  const signature = grey.subarray(0, 8);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("PLTE", palette), grey.subarray(headBytes)]);
}

/** PNG §5.3: length, type, data, and the checksum of the latter two. */
function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), data.length + 8);
  return bytes;
}
