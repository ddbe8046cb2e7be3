import { readHeaderLines } from "../../header-lines.ts";
import { readSecretFile } from "./secret-file.ts";
import type { TrustCheck } from "./trusted-file.ts";

/** The headers in root's file, by `readHeaderLines`. Throws what `refuse` makes of it, or of a line of another form. */
export async function readRequestHeaders(
  path: string,
  trust: TrustCheck,
): Promise<Readonly<Record<string, string>>> {
  const headers = readHeaderLines(await readSecretFile(path, trust));
  if (typeof headers === "string") throw trust.refuse(path, headers);
  return headers;
}
