import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/**
 * Writes a file that the agent reads: beside it and renamed, so that a reader sees either the old one or the new one,
 * complete; and given to the agent's user, to whom a file of root's would be closed.
 */
export async function writeForAgent(
  path: string,
  text: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const beside = `${path}.${randomBytes(8).toString("hex")}`;
  const file = await open(beside, "wx", 0o600);
  try {
    await file.chown(uid, gid);
    await file.writeFile(text);
    await file.close();
    await rename(beside, path);
  } catch (error) {
    await file.close();
    await rm(beside, { force: true });
    throw error;
  }
}
