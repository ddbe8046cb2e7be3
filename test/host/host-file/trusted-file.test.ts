import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { agentUser } from "../../../lab/devices/verifying-device.ts";
import { ownCredentials } from "../../../lab/host/credentials.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { ownDirectory } from "../../../lab/host/judged-host-file.ts";
import { readTrustedFile } from "../../../src/host/linux/host-file/trusted-file.ts";
import { createOwnersRights } from "../../../src/host/linux/releases/agent-rights.ts";

interface Case {
  /** Makes it in the directory, from which the file is then `name`. */
  readonly make: (directory: string) => unknown;
  readonly name?: string;
  readonly isSecret?: boolean;
  readonly opening?: string;
  /** The words of the refusal, {} for the directory; null: it is absent. undefined: it can be read. */
  readonly refused?: string | null;
}

const write = (path: string, mode: number) => writeFileSync(path, "x", { mode });
const closedDirectory = (path: string) => mkdirSync(path, { mode: 0o700 });
const user = "cannot be read by the user of the agent";

const cases: Readonly<Record<string, Case>> = {
  "which every user may read": { make: (home) => write(join(home, "f"), 0o644) },
  "which only root may read": {
    make: (home) => write(join(home, "f"), 0o600),
    refused: `${user}. As root: chmod a+r {}/f`,
  },
  "with a secret, which only root may read": {
    make: (home) => write(join(home, "f"), 0o600),
    isSecret: true,
    refused: `${user}. As root: chown root:steward {}/f; chmod 640 {}/f`,
  },
  "with a secret, which every user may read": {
    make: (home) => write(join(home, "f"), 0o644),
    isSecret: true,
    refused: "can be read by every user of this device. As root: chown root:steward {}/f; chmod 640 {}/f",
  },
  "which the agent may read by its group": {
    make: (home) => [write(join(home, "f"), 0o640), chownSync(join(home, "f"), 0, agentUser)],
    isSecret: true,
  },
  "in a directory that only root may enter": {
    make: (home) => [closedDirectory(join(home, "of")), write(join(home, "of/f"), 0o644)],
    name: "of/f",
    refused: `${user}, to whom {}/of is closed. As root: chmod a+rx {}/of; chmod a+r {}/of/f`,
  },
  "behind a link into a directory that only root may enter": {
    make: (home) => [
      closedDirectory(join(home, "live")),
      write(join(home, "live/f"), 0o644),
      symlinkSync("live/f", join(home, "f")),
    ],
    refused: `${user}, to whom {}/live is closed. As root: chmod a+rx {}/live; chmod a+r {}/f`,
  },
  "behind a link to one that only root may read": {
    make: (home) => [write(join(home, "real"), 0o600), symlinkSync(join(home, "real"), join(home, "f"))],
    refused: `${user}, to whom {}/real is closed. As root: chmod a+r {}/f`,
  },
  "behind links through a directory that is one": {
    make: (home) => [
      closedDirectory(join(home, "archive")),
      mkdirSync(join(home, "archive/a"), { mode: 0o755 }),
      write(join(home, "archive/a/f"), 0o644),
      symlinkSync("archive/a", join(home, "live")),
    ],
    name: "live/f",
    refused: `${user}, to whom {}/archive is closed. As root: chmod a+rx {}/archive; chmod a+r {}/live/f`,
  },
  "behind a link into a home directory, which the unit hides": {
    make: (home) => symlinkSync("/root/.acme.sh/f", join(home, "f")),
    refused: `${user}, to whom /root is closed: put it into /etc/steward, and name it there`,
  },
  "behind such a link, with a line that copies it": {
    make: (home) => symlinkSync("/root/.acme.sh/f", join(home, "f")),
    opening: "install it",
    refused: `${user}, to whom /root is closed. As root: install it`,
  },
  "that is not there": { make: () => undefined, refused: null },
  "in a directory that is not there": { make: () => undefined, name: "of/f", refused: null },
  "that is a link to nothing": {
    make: (home) => symlinkSync("/data/f", join(home, "f")),
    refused: "leads nowhere: {}/f is a link to a place that is absent",
  },
  "in a directory that is a link to nothing": {
    make: (home) => symlinkSync("/data/of", join(home, "of")),
    name: "of/f",
    refused: "leads nowhere: {}/of is a link to a place that is absent",
  },
  "that is a directory": { make: (home) => mkdirSync(join(home, "f")), refused: "must be a regular file" },
  "that is a pipe": {
    make: (home) => execFileSync("mkfifo", [join(home, "f")]),
    refused: "must be a regular file",
  },
  "that is a link to a device, which stays as it is": {
    make: (home) => symlinkSync("/dev/null", join(home, "f")),
    refused: "must be a regular file",
  },
  "that is a link round in a ring": {
    make: (home) => symlinkSync("f", join(home, "f")),
    refused: "cannot be read (ELOOP)",
  },
  "below a file": {
    make: (home) => write(join(home, "of"), 0o644),
    name: "of/f",
    refused: "cannot be read (ENOTDIR)",
  },
};

describe("a file of root's, as the agent will read it", asRoot, () => {
  for (const [what, { make, name = "f", refused, ...opening }] of Object.entries(cases))
    it(what, async (test) => {
      const home = ownDirectory(test);
      chmodSync(home, 0o755);
      const ofAgent = join(home, "state");
      mkdirSync(ofAgent);
      chownSync(ofAgent, agentUser, agentUser);
      make(home);
      const asAgent = await createOwnersRights(ofAgent, ownCredentials());
      const read = readTrustedFile(
        join(home, name),
        { asAgent, maximumBytes: 10, ...opening },
        (path, why) => new Error(`${path} ${why}`),
      );
      if (typeof refused === "string")
        return assert.rejects(read, { message: `${home}/${name} ${refused.replaceAll("{}", home)}` });
      assert.deepEqual(await read, refused === null ? null : new Uint8Array(Buffer.from("x")));
    });
});
