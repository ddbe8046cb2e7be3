import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/**
 * Writes a file that the agent reads: under another name and then renamed, so that a reader sees either the old one or
 * the new one, complete. The agent's user becomes its owner, since a file of root's would be closed to it.
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
