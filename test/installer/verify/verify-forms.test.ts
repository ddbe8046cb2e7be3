import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chown, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { atEnd } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { refused } from "../../../lab/devices/updating-device.ts";
import {
  asAgentUser,
  does,
  isRoot,
  openVerifyLab,
  takenFiles,
  takesNothing,
  withStaged,
} from "../../../lab/devices/verifying-device.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const code = "update_not_acceptable";

describe("what lies where the staged payload should be", { skip: !isRoot && "needs root" }, () => {
  const socket = "python3 -c \"import socket,os; socket.socket(socket.AF_UNIX).bind(os.environ['F'])\"";
  const [staged, role] = ['"$UPDATES/staged"', '"$UPDATES/metadata/rules.json"'];
  const many = 'for n in $(seq 1000); do : > "$UPDATES/metadata/$n.json"; done';
  const noDirectory = (name: string) => new RegExp(`${name} is not a directory, or is a link`);
  const scripts: [string, string, RegExp][] = [
    ["a fifo without a writer", 'rm "$F"; mkfifo "$F"', /not a regular file/],
    ["a directory", 'rm "$F"; mkdir "$F"', /not a regular file/],
    ["a socket", `rm "$F"; ${socket}`, /not a regular file/],
    ["a link to the signed bytes", 'mv "$F" "$UPDATES/there"; ln -s "$UPDATES/there" "$F"', /is a link/],
    ["a link to what root alone may read", 'rm "$F"; ln -s /etc/shadow "$F"', /is a link/],
    ["a link to a device", 'rm "$F"; ln -s /dev/zero "$F"', /is a link/],
    ["a link that leads to itself", 'rm "$F"; ln -s "$F" "$F"', /is a link/],
    ["nothing", 'rm "$F"', /does not exist/],
    ["a link for its directory", `mv ${staged} "$UPDATES/e"; ln -s e ${staged}`, noDirectory("staged")],
    ["a link for updates", 'mv "$UPDATES" "$UPDATES/../e"; ln -s e "$UPDATES"', noDirectory("updates")],
    ["a file for its directory", `rm -r ${staged}; echo x > ${staged}`, /staged is not a directory/],
    ["a link for metadata", 'cd "$UPDATES"; mv metadata m; ln -s m metadata', noDirectory("metadata")],
    [
      "a link for one role's metadata",
      `M=${role}; mv "$M" "$M.there"; ln -s "$M.there" "$M"`,
      /rules.json is a link/,
    ],
    ["a fifo for a kept root", 'mkfifo "$UPDATES/roots/2%2eroot.json"', /not a regular file/],
    ["a thousand files among the metadata", many, /more than 512 files/],
  ];
  for (const [name, script, saying] of scripts) {
    it(`is not taken in: ${name}`, async (test) => {
      const { lab, id } = await withStaged(test);
      does(lab, `F="$UPDATES/staged/$1.tar.gz"; export F; ${script}`, id);
      await takesNothing(lab, { id, code, saying });
    });
  }

  it("is not taken in: a file of 100 GiB with nothing in it, one that the agent itself may not read, a device", async (test) => {
    const { lab, id } = await withStaged(test);
    const path = lab.stagedPath(id);
    does(lab, 'truncate -s 100G "$1"', path);
    await takesNothing(lab, { id, code: "update_payload_mismatch", saying: /107374182400 bytes/ });
    await chown(path, 0, 0);
    await takesNothing(lab, { id, code, saying: /cannot be opened by the agent/ });
    execFileSync("rm", [path]);
    // Only root could have made it.
    execFileSync("mknod", ["-m", "666", path, "c", "1", "5"]);
    await takesNothing(lab, { id, code, saying: /not a regular file/ });
  });

  for (const role of ["timestamp", "snapshot", "targets", "rules"]) {
    it(`is not looked at, when the metadata of ${role} have 100 GiB with nothing in them`, async (test) => {
      const { lab, id } = await withStaged(test);
      await lab.verifyNew("2.0.0");
      lab.publisher.publish("targets", "rules", "binary");
      await lab.hold();
      does(lab, 'truncate -s 100G "$UPDATES/metadata/$1.json"', role);
      await takesNothing(lab, { id, code: "update_too_large" });
    });
  }

  it("is not looked for under what is no id", async (test) => {
    const lab = await openVerifyLab(test);
    const zeros = (count: number) => "0".repeat(count);
    for (const id of ["../../../etc/passwd", "", zeros(31), zeros(33), `${zeros(31)}G`, "A".repeat(32)]) {
      const error = await refused(code, lab.verifyAndCopy(id));
      assert.match(error.message, /does not name a release/, id);
    }
  });
});

describe("a payload that grows", { skip: !isRoot && "needs root" }, () => {
  it("while its owner keeps changing it, is the signed bytes or nothing", async (test) => {
    const { lab, id, added } = await withStaged(test, { payload: Buffer.alloc(900_000, "rules") });
    const path = lab.stagedPath(id);
    const [program = "", ...options] = asAgentUser;
    const grower = spawn(program, [...options, "sh", "-c", 'while :; do echo x >> "$0" || exit; done', path]);
    atEnd(test, () => void grower.kill("SIGKILL"));
    await until("it grows", async () => (await readFile(path)).length > 900_000);
    for (let tries = 0; tries < 20; tries += 1) {
      const taken = await lab.verifyAndCopy(id).catch((error: unknown) => error);
      if (taken instanceof StewardError) assert.equal(taken.code, "update_payload_mismatch");
      for (const name of await takenFiles(lab.trust))
        assert.deepEqual(await readFile(join(lab.trust, "intake", name)), added.payload);
      await writeFile(path, added.payload);
    }
  });
});
