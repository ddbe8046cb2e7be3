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

/** Makes it in the directory, from which the file is then `name`. */
type Make = (home: string) => void;

const file =
  (mode: number, name = "f"): Make =>
  (home) =>
    writeFileSync(join(home, name), "x", { mode });
const directory =
  (name: string, mode = 0o700): Make =>
  (home) =>
    mkdirSync(join(home, name), { mode });
const link =
  (target: string, name = "f"): Make =>
  (home) =>
    symlinkSync(target.replace("{}", home), join(home, name));

const user = "cannot be read by the user of the agent";
const opened = "As root: chmod a+r {}/f";
const owned = "As root: chown root:steward {}/f; chmod 640 {}/f";
const hidden = `${user}, to whom /root is closed`;
const [secret, below] = [{ isSecret: true }, { name: "of/f" }];

interface More {
  readonly name?: string;
  readonly isSecret?: boolean;
  readonly opening?: string;
}

/** The words of the refusal, {} for the directory; null: it is absent; undefined: it can be read. */
const cases: readonly (readonly [
  what: string,
  make: readonly Make[],
  refused?: string | null | undefined,
  more?: More,
])[] = [
  ["which every user may read", [file(0o644)]],
  ["which only root may read", [file(0o600)], `${user}. ${opened}`],
  ["with a secret, which only root may read", [file(0o600)], `${user}. ${owned}`, secret],
  [
    "with a secret, which every user may read",
    [file(0o644)],
    `can be read by every user of this device. ${owned}`,
    secret,
  ],
  [
    "which the agent may read by its group",
    [file(0o640), (home) => chownSync(join(home, "f"), 0, agentUser)],
    undefined,
    secret,
  ],
  [
    "in a directory that only root may enter",
    [directory("of"), file(0o644, "of/f")],
    `${user}, to whom {}/of is closed. As root: chmod a+rx {}/of; chmod a+r {}/of/f`,
    below,
  ],
  [
    "behind a link into a directory that only root may enter",
    [directory("live"), file(0o644, "live/f"), link("live/f")],
    `${user}, to whom {}/live is closed. As root: chmod a+rx {}/live; chmod a+r {}/f`,
  ],
  [
    "behind a link to one that only root may read",
    [file(0o600, "real"), link("{}/real")],
    `${user}, to whom {}/real is closed. ${opened}`,
  ],
  [
    "behind links through one",
    [
      directory("archive"),
      directory("archive/a", 0o755),
      file(0o644, "archive/a/f"),
      link("archive/a", "live"),
    ],
    `${user}, to whom {}/archive is closed. As root: chmod a+rx {}/archive; chmod a+r {}/live/f`,
    { name: "live/f" },
  ],
  [
    "behind a link into a home directory, which the unit hides",
    [link("/root/.acme.sh/f")],
    `${hidden}: put it into /etc/steward, and name it there`,
  ],
  [
    "behind such a link, with a line that copies it",
    [link("/root/.acme.sh/f")],
    `${hidden}. As root: install it`,
    { opening: "install it" },
  ],
  ["that is not there", [], null],
  ["in a directory that is not there", [], null, below],
  ["that is a link to nothing", [link("/data/f")], "leads nowhere: {}/f is a link to a place that is absent"],
  [
    "in a directory that is a link to nothing",
    [link("/data/of", "of")],
    "leads nowhere: {}/of is a link to a place that is absent",
    below,
  ],
  ["that is a directory", [directory("f")], "must be a regular file"],
  ["that is a pipe", [(home) => execFileSync("mkfifo", [join(home, "f")])], "must be a regular file"],
  ["that is a link to a device, which stays as it is", [link("/dev/null")], "must be a regular file"],
  ["that is a link round in a ring", [link("f")], "cannot be read (ELOOP)"],
  ["below a file", [file(0o644, "of")], "cannot be read (ENOTDIR)", below],
];

describe("a file of root's, as the agent will read it", asRoot, () => {
  for (const [what, making, refused, { name = "f", ...opening } = {}] of cases)
    it(what, async (test) => {
      const home = ownDirectory(test);
      chmodSync(home, 0o755);
      const ofAgent = join(home, "state");
      mkdirSync(ofAgent);
      chownSync(ofAgent, agentUser, agentUser);
      for (const make of making) make(home);
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
