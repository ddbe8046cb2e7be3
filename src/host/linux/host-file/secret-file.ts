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
