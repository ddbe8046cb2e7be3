import { textOf } from "../../../contract/text/text-of.ts";
import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

export const mostSecretBytes = 4_096;

/** The text of root's secret file. Throws what `refuse` makes: absent, empty, unreadable, or open to other users. */
export async function readSecretFile(path: string, { refuse, ...owners }: TrustCheck): Promise<string> {
  const reading = { ...owners, maximumBytes: mostSecretBytes, isSecret: true };
  const bytes = await readTrustedFile(path, reading, refuse);
  const secret = textOf(bytes ?? Buffer.alloc(0), { refuse: (why) => refuse(path, why) }).trim();
  if (secret === "") throw refuse(path, "does not exist or is empty");
  return secret;
}

/** The same of a page of the product, which goes in a header (RFC 9110 §5.5) and must not be guessed. */
export async function readPageSecret(path: string, trust: TrustCheck): Promise<string> {
  const secret = await readSecretFile(path, trust);
  if (/^[\x20-\x7e]{16,}$/.test(secret)) return secret;
  throw trust.refuse(path, "must have 16 characters or more of ASCII on one line");
}
