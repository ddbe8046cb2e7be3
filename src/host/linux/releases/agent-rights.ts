import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { StewardError } from "../../../contract/errors.ts";
import type { AsAgent } from "../../host.ts";
import type { RunCommand } from "../../ports.ts";
import { asUser, type Credentials, type User } from "../credentials.ts";

/** The number of checks that no call to the file system is active, and their interval. */
const [checks, checkMilliseconds] = [1_000, 5];

/**
 * Returns a function that does work with only the rights of the owner of `directory`, without root's groups and
 * capabilities. A process that is not root uses its own rights. The work is synchronous on purpose: glibc changes the
 * rights of all threads at once, also for calls of the thread pool, so these are awaited first, and none can begin in
 * between.
 */
export async function createOwnersRights(directory: string, credentials: Credentials): Promise<AsAgent> {
  const { uid, gid } = await stat(directory);
  return rightsOf({ uid, gid }, credentials);
}

/** The same with all groups of the user `steward`, as the agent's unit has. Undefined: no such user, or not root. */
export async function createAgentsRights(
  run: RunCommand,
  credentials: Credentials,
): Promise<AsAgent | undefined> {
  if (credentials.geteuid() !== 0) return undefined;
  const { stdout } = await run("id", ["steward"], { timeoutMilliseconds: 10_000 });
  // uid=998(steward) gid=997(steward) groups=997(steward),112(ssl-cert)
  const [uid, gid, ...groups] = (stdout.match(/\d+(?=\()/g) ?? []).map(Number);
  return uid === undefined || gid === undefined ? undefined : rightsOf({ uid, gid, groups }, credentials);
}

function rightsOf(user: User, credentials: Credentials): AsAgent {
  return async (work) => {
    if (credentials.geteuid() !== 0 || user.uid === 0) return work();
    await idleFileSystem(credentials);
    return asUser(credentials, user, work);
  };
}

async function idleFileSystem({ getActiveResourcesInfo }: Credentials): Promise<void> {
  for (let check = 0; check < checks; check += 1) {
    if (!getActiveResourcesInfo().some((name) => name.startsWith("FSReq"))) return;
    await delay(checkMilliseconds);
  }
  throw new StewardError(
    "internal_error",
    "The rights of the process could not be changed, because the file system was busy for too long.",
  );
}
