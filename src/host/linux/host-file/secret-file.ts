import { stat } from "node:fs/promises";
import { systemErrorCode } from "../../../contract/errors.ts";
import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

/** Bytes of a file with a secret. */
export const mostSecretBytes = 4_096;

/** Every right of others than owner and group. */
const rightsOfOthers = 0o007;

/**
 * The text of a file with a secret that root has named, without blanks around it. Throws what `refuse` makes if it is
 * absent, empty or cannot be read, if another user than root could have written it, or if every user can read it.
 */
export async function readSecretFile(path: string, { own, refuse }: TrustCheck): Promise<string> {
  const secret = await readable(path, refuse, async () => {
    const bytes = await readTrustedFile(path, { own, maximumBytes: mostSecretBytes }, refuse);
    return bytes === null ? "" : Buffer.from(bytes).toString("utf8").trim();
  });
  if (secret === "") throw refuse(path, "does not exist or is empty");
  const { mode } = await readable(path, refuse, () => stat(path));
  if ((mode & rightsOfOthers) === 0) return secret;
  throw refuse(
    path,
    `can be read by every user of this device. As root: chown root:steward ${path}; chmod 640 ${path}`,
  );
}

/** Returns the result of `read`; an error of the system becomes the one that `refuse` makes. */
export async function readable<T>(
  path: string,
  refuse: (path: string, what: string, cause?: unknown) => Error,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw refuse(path, `cannot be read (${systemErrorCode(cause)})`, cause);
  }
}
