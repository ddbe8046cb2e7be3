import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { getuid } from "node:process";
import type { TestContext } from "node:test";
import { atEnd } from "../../lab/basics/ending.ts";

interface Placing {
  readonly test: TestContext;
  readonly path: string;
  /** It is opened to be written before it is read. */
  readonly isWritten?: boolean;
}

type Put = (placing: Placing) => void | Promise<void>;

const bytesOf2GiB = 2 ** 31;

/** All that may stand in the place of a file of the agent's, and how a message names it. */
export const strangeFiles: Readonly<Record<string, { readonly put: Put; readonly named: RegExp }>> = {
  "a pipe": {
    named: /is a pipe, and no regular file/,
    put: ({ path, test, isWritten = false }) => {
      execFileSync("mkfifo", ["-m", "600", path]);
      // The other end: what waits for one gets it, and reads nothing, so that the test fails instead of hanging.
      // Not by the shell's own ">", which would empty the file that has come into its place meanwhile.
      const opened = 'dd if=/dev/null of="$1" conv=nocreat,notrunc status=none';
      const ends = `${isWritten ? 'cat < "$1"; ' : ""}while [ -p "$1" ]; do ${opened}; done`;
      // In a group of its own, to be ended with what it runs.
      const other = spawn("sh", ["-c", ends, "sh", path], { stdio: "ignore", detached: true });
      const { pid } = other;
      atEnd(test, () => {
        if (pid !== undefined && other.exitCode === null) process.kill(-pid, "SIGKILL");
      });
    },
  },
  "a socket": {
    named: /is a socket or a device, and no regular file/,
    put: async ({ path, test }) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      atEnd(test, () => server.close());
    },
  },
  "a link": {
    named: /is a link, and no regular file/,
    put: ({ path }) => {
      writeFileSync(targetOf(path), "{}", { mode: 0o600 });
      symlinkSync(targetOf(path), path);
    },
  },
  "a link to nothing": {
    named: /is a link, and no regular file/,
    put: ({ path }) => symlinkSync(`${path}.nothing`, path),
  },
  "a directory": {
    named: /is a directory, and no regular file/,
    put: ({ path }) => {
      mkdirSync(path);
      writeFileSync(join(path, "file"), "content");
    },
  },
  "2 GiB of nothing": {
    named: /has 2147483648 bytes, more than the limit of/,
    put: ({ path }) => {
      writeFileSync(path, "");
      truncateSync(path, bytesOf2GiB);
    },
  },
  ...(mayMakeDevices() && {
    "a device": {
      named: /is a device, and no regular file/,
      put: ({ path }: Placing) => void execFileSync("mknod", ["-m", "600", path, "c", "1", "3"]),
    },
  }),
};

/** The link leads to this path. It is hidden, so that its name is none of a document's. */
export function targetOf(path: string): string {
  return join(dirname(path), ".target");
}

/** In the place of `path`, of which nothing is left. */
export async function putStrange(kind: string, placing: Placing): Promise<void> {
  rmSync(placing.path, { recursive: true, force: true });
  await strangeFiles[kind]?.put(placing);
}

/** Only root may, and not in every container. */
function mayMakeDevices(): boolean {
  if (getuid?.() !== 0) return false;
  const path = join(import.meta.dirname, `device-${process.pid}`);
  try {
    execFileSync("mknod", [path, "c", "1", "3"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { force: true });
  }
}
