import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { StewardError } from "../../../contract/errors.ts";

/** What a process may do, as far as files go by it; `process` has all of these. */
export interface Credentials {
  geteuid(): number;
  getegid(): number;
  getgroups(): number[];
  seteuid(id: number): void;
  setegid(id: number): void;
  setgroups(ids: readonly number[]): void;
  /** Names of what is under way, calls to the file system among them. */
  getActiveResourcesInfo(): string[];
}

/** How often, and how long in between, it is looked whether the file system is at rest. */
const [looks, lookMilliseconds] = [1_000, 5];

/**
 * Gives what does work with the rights of whoever owns `directory`, and with no others: root's groups are not there, and
 * neither are its capabilities. Who is not root does it with the rights that it has.
 *
 * The work is synchronous on purpose. glibc changes the rights of all threads at once, so that whatever the pool does
 * meanwhile would be done with them: it is waited for before, and nothing can begin in between.
 */
export async function createOwnersRights(
  directory: string,
  credentials: Credentials,
): Promise<<T>(work: () => T) => Promise<T>> {
  const { uid, gid } = await stat(directory);
  return async (work) => {
    if (credentials.geteuid() !== 0 || uid === 0) return work();
    await atRest(credentials);
    return withRights({ uid, gid }, credentials, work);
  };
}

function withRights<T>(
  { uid, gid }: { uid: number; gid: number },
  credentials: Credentials,
  work: () => T,
): T {
  const before = { gid: credentials.getegid(), groups: credentials.getgroups() };
  try {
    credentials.setgroups([gid]);
    credentials.setegid(gid);
    credentials.seteuid(uid);
    return work();
  } finally {
    credentials.seteuid(0);
    credentials.setegid(before.gid);
    credentials.setgroups(before.groups);
  }
}

async function atRest({ getActiveResourcesInfo }: Credentials): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    if (!getActiveResourcesInfo().some((name) => name.startsWith("FSReq"))) return;
    await delay(lookMilliseconds);
  }
  throw new StewardError(
    "internal_error",
    "The file system was busy for too long to change rights in between.",
  );
}
