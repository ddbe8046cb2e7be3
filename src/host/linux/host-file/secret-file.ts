import { textOf } from "../../../contract/text/text-of.ts";
import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

export const mostSecretBytes = 4_096;

/**
 * The text of a file with a secret that root has named, without blanks around it. Throws what `refuse` makes if it is
 * absent, empty or cannot be read, if another user than root could have written it, or if every user can read it.
 */
export async function readSecretFile(path: string, { refuse, ...owners }: TrustCheck): Promise<string> {
  const reading = { ...owners, maximumBytes: mostSecretBytes, isSecret: true };
  const bytes = await readTrustedFile(path, reading, refuse);
  const secret = textOf(bytes ?? Buffer.alloc(0), { refuse: (why) => refuse(path, why) }).trim();
  if (secret === "") throw refuse(path, "does not exist or is empty");
  return secret;
}
