import { statfs } from "node:fs/promises";
import type { FreeSpace } from "../ports.ts";

/** Free bytes for users other than root (f_bavail of statfs(2)). */
export const freeSpace: FreeSpace = async (directory) => {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
};
