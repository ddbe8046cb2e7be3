/**
 * Root becomes nobody, or works as nobody, after a file was read in the background; prints what came of it as JSON. With
 * "refused" Node's own calls do what they do on Debian's libuv.
 */
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { argv } from "node:process";
import { asUser, becomeUser, openCredentials } from "../../src/host/linux/credentials.ts";

/** `error` null: it was done. */
export interface Outcome {
  readonly error: string | null;
  readonly hasWorked: boolean;
  /** The ids of each thread that Node has, at the end. */
  readonly users: readonly string[];
}

const nobody = { uid: 65_534, gid: 65_534 };
const [, , addon = "", how = "", ...options] = argv;
let hasWorked = false;
let error: string | null = null;

if (options.includes("refused"))
  for (const name of ["setuid", "setgid", "seteuid", "setegid", "setgroups"])
    Object.defineProperty(process, name, {
      value: () => {
        throw new Error(`${name}() disabled: io_uring may be enabled. See CVE-2024-22017.`);
      },
    });

await readFile("/etc/passwd");
try {
  const credentials = openCredentials(addon, process);
  if (how === "become") becomeUser(credentials, nobody, "no group has this name");
  else
    asUser(credentials, nobody, () => {
      hasWorked = true;
    });
} catch (thrown) {
  error = (thrown as Error).message;
}
const statuses = readdirSync("/proc/self/task").map((id) =>
  readFileSync(`/proc/self/task/${id}/status`, "utf8"),
);
const users = statuses
  .filter((status) => !status.startsWith("Name:\tiou-"))
  .map((status) => /^Uid:\t(.*)$/m.exec(status)?.[1] ?? "");
const outcome: Outcome = { error, hasWorked, users };
console.log(JSON.stringify(outcome));
