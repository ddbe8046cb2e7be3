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
  it("is named as root knows it, although systemd mounted the state directory over itself", () => {
    const mount = { point: "/", isReadOnly: false, isReadOnlyHereAlone: false };
    assert.deepEqual(mountIn(inTheUnit, state), mount);
  });

  it("is read-only when the file system is", () => {
    const failed = inTheUnit.replaceAll("/dev/root rw", "/dev/root ro,errors=remount-ro");
    assert.deepEqual(mountIn(failed, state), { point: "/", isReadOnly: true, isReadOnlyHereAlone: false });
  });

  it("is read-only when ext4 has stopped itself", () => {
    const failed = inTheUnit.replaceAll("/dev/root rw", "/dev/root rw,emergency_ro");
    assert.equal(mountIn(failed, state)?.isReadOnly, true);
  });

  it("is read-only here alone when only this view of it is", () => {
    const stale = inTheUnit.replace("/var/lib/steward rw", "/var/lib/steward ro");
    assert.deepEqual(mountIn(stale, state), { point: "/", isReadOnly: true, isReadOnlyHereAlone: true });
  });

  it("is that of a partition of its own, by the name of its mount point", () => {
    const own = [
      inTheUnit.split("\n")[0],
      "460 445 254:3 / /var/lib rw - ext4 /dev/vda3 rw",
      "461 460 254:3 /steward /var/lib/steward rw - ext4 /dev/vda3 rw",
    ].join("\n");
    assert.equal(mountIn(own, `${state}/users.json`)?.point, "/var/lib");
  });

  it("is another file system that is mounted over a part of the first one's directory", () => {
    const over = `${inTheUnit}\n470 450 254:5 / /var/lib/steward rw - ext4 /dev/vda5 ro`;
    assert.deepEqual(mountIn(over, state), { point: state, isReadOnly: true, isReadOnlyHereAlone: false });
  });

  it("is that of another directory of the same file system which is mounted over it", () => {
    const bound = `${inTheUnit}\n475 450 254:0 /srv/state /var/lib/steward ro - ext4 /dev/root rw`;
    assert.deepEqual(mountIn(bound, state), { point: state, isReadOnly: true, isReadOnlyHereAlone: true });
  });

  it("may have a space in its name", () => {
    const spaced = "445 442 254:7 / /mnt/sd\\040card ro - ext4 /dev/vda7 ro";
    assert.equal(mountIn(spaced, "/mnt/sd card/state")?.point, "/mnt/sd card");
  });

  it("is not that of a directory whose name begins alike", () => {
    const alike = `${inTheUnit}\n480 445 254:8 / /var/lib/stew ro - ext4 /dev/vda8 ro`;
    assert.equal(mountIn(alike, state)?.point, "/");
  });

  it("is not known where the text says nothing", () => {
    assert.equal(mountIn("", state), null);
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
