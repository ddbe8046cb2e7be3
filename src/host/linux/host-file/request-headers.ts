import { readSecretFile } from "./secret-file.ts";
import type { TrustCheck } from "./trusted-file.ts";

/** RFC 9110 §5.6.2 and §5.5, in ASCII. */
const line = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)[ \t]*$/;

/** Headers that the request has of its own, or that would change where it ends. */
const own = /^(host|connection|content-.*|transfer-encoding|accept-encoding|expect|upgrade|trailer|te)$/;

/**
 * The headers in a file that root has named, a line `name: value` each; lines that begin with # are comments. Names are in
 * lower case. Throws what `refuse` makes if the file cannot be used or is not safe (see readSecretFile), or at a line of
 * another form.
 */
export async function readRequestHeaders(
  path: string,
  trust: TrustCheck,
): Promise<Readonly<Record<string, string>>> {
  const text = await readSecretFile(path, trust);
  const headers: Record<string, string> = {};
  for (const [index, one] of text.split("\n").entries()) {
    if (/^\s*(#|$)/.test(one)) continue;
    const [, name, value] = line.exec(one.trimEnd()) ?? [];
    if (name === undefined || value === undefined)
      throw trust.refuse(path, `has a line ${index + 1} that is not of the form "name: value"`);
    if (own.test(name.toLowerCase()))
      throw trust.refuse(
        path,
        `names the header ${name} in line ${index + 1}, which each request has already`,
      );
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
