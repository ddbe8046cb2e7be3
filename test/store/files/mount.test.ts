import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mountIn, mountOf } from "../../../src/store/files/mount.ts";

/** As /proc/self/mountinfo has it inside the agent's unit (ProtectSystem=strict, StateDirectory=) on a plain device. */
const inTheUnit = [
  "445 442 254:0 / / ro,relatime master:1 - ext4 /dev/root rw",
  "447 445 0:24 / /proc rw,nosuid - proc proc rw",
  "450 445 254:0 /var/lib/steward /var/lib/steward rw,relatime master:1 - ext4 /dev/root rw",
].join("\n");

const state = "/var/lib/steward";

describe("the mount of a path", () => {
  const own = [
    inTheUnit.split("\n")[0],
    "460 445 254:3 / /var/lib rw - ext4 /dev/vda3 rw",
    "461 460 254:3 /steward /var/lib/steward rw - ext4 /dev/vda3 rw",
  ].join("\n");
  const failed = inTheUnit.replaceAll("/dev/root rw", "/dev/root ro,errors=remount-ro");
  const stopped = inTheUnit.replaceAll("/dev/root rw", "/dev/root rw,emergency_ro");
  const stale = inTheUnit.replace("/var/lib/steward rw", "/var/lib/steward ro");
  const over = `${inTheUnit}\n470 450 254:5 / /var/lib/steward rw - ext4 /dev/vda5 ro`;
  const bound = `${inTheUnit}\n475 450 254:0 /srv/state /var/lib/steward ro - ext4 /dev/root rw`;
  const alike = `${inTheUnit}\n480 445 254:8 / /var/lib/stew ro - ext4 /dev/vda8 ro`;
  const card = "445 442 254:7 / /mnt/sd\\040card ro - ext4 /dev/vda7 ro";
  for (const [name, text, path, expected] of [
    ["as root knows it, although systemd mounted the state directory over itself", inTheUnit, state, "/"],
    ["read-only when the file system is", failed, state, "/ ro"],
    ["read-only when ext4 has stopped itself", stopped, state, "/ ro"],
    ["read-only here alone when only this view of it is", stale, state, "/ ro here"],
    ["a partition of its own, by the name of its mount point", own, `${state}/users.json`, "/var/lib"],
    ["another file system that is mounted over the directory", over, state, `${state} ro`],
    ["another directory of the same file system that is mounted over it", bound, state, `${state} ro here`],
    ["one with a space in its name", card, "/mnt/sd card/state", "/mnt/sd card ro"],
    ["none whose name begins alike", alike, state, "/"],
    ["not known where the text says nothing", "", state, "unknown"],
  ] as const)
    it(`is ${name}`, () => {
      const { point = "unknown", isReadOnly, isReadOnlyHereAlone } = mountIn(text, path) ?? {};
      const found = [point, ...(isReadOnly ? ["ro"] : []), ...(isReadOnlyHereAlone ? ["here"] : [])];
      assert.equal(found.join(" "), expected);
    });

  it("is not known by a line that is cut before the options of the view", () => {
    const fields = "445 442 254:0 / / ro,relatime master:1 - ext4 /dev/root rw".split(" ");
    for (let count = 0; count <= fields.length; count += 1) {
      const found = mountIn(fields.slice(0, count).join(" "), state);
      assert.deepEqual(found, count < 6 ? null : { point: "/", isReadOnly: true, isReadOnlyHereAlone: true });
    }
  });

  it("is found out again for another path, and kept while the table is the same", () => {
    const points = ["/proc", "/", "/proc"].map((path) => mountOf(path)?.point);
    assert.deepEqual(points, ["/proc", "/", "/proc"]);
    assert.equal(mountOf("/proc"), mountOf("/proc"));
  });
});
