import { join } from "node:path";
import { type Credentials, openCredentials } from "../../src/host/linux/credentials.ts";

export const builtAddon = join(import.meta.dirname, "../../dist/clock-steering.node");

/** This process's own, as a main opens them. */
export const ownCredentials = (): Credentials => openCredentials(builtAddon, process);

export const isRoot = process.getuid?.() === 0;

/** Nothing is closed to root: until `work` has ended, all of this process is nobody. Others stay who they are. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  const { seteuid } = ownCredentials();
  seteuid(65_534);
  try {
    return await work();
  } finally {
    seteuid(0);
  }
}
