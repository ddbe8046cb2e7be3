import { readHeaderLines } from "../../header-lines.ts";
import { readSecretFile } from "./secret-file.ts";
import type { TrustCheck } from "./trusted-file.ts";

/**
 * The headers in a file that root has named, as `readHeaderLines` reads them. Throws what `refuse` makes if the file cannot
 * be used or is not safe (see readSecretFile), or at a line of another form.
 */
export async function readRequestHeaders(
  path: string,
  trust: TrustCheck,
): Promise<Readonly<Record<string, string>>> {
  const headers = readHeaderLines(await readSecretFile(path, trust));
  if (typeof headers === "string") throw trust.refuse(path, headers);
  return headers;
}
