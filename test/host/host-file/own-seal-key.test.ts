import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { readSealKeys } from "../../../src/host/linux/host-file/seal-keys.ts";
import { device, hex, refused } from "./key-device.ts";

describe("the agent's own key", () => {
  it("is made where there is none: 32 random bytes, hidden, for its user alone", async () => {
    const [first, second] = [device(), device()];
    const [one, two] = [await readSealKeys(first), await readSealKeys(second)];
    assert.notDeepEqual(hex(one), hex(two));
    assert.deepEqual(hex(one), [readFileSync(first.fallbackPath).toString("hex")]);
    assert.equal(statSync(first.fallbackPath).mode & 0o777, 0o600);
    assert.equal(statSync(first.fallbackPath).nlink, 1);
    assert.deepEqual(readdirSync(first.stateDirectory), [".seal.key"]);
  });

  it("is one, though several ask for it at once", async () => {
    const places = device();
    const answers = await Promise.all(Array.from({ length: 20 }, () => readSealKeys(places)));
    assert.equal(new Set(answers.flatMap(hex)).size, 1);
    assert.deepEqual(readdirSync(places.stateDirectory), [".seal.key"]);
  });

  it("is not made on a full disk, which is said, and nothing is left there", async (test) => {
    const mount = await mountPrivately(test, 1);
    if (typeof mount === "string") return test.skip(mount);
    mount.run('dd if=/dev/zero of="$1/all" bs=4096 2>&1 || true');
    const places = { ...device(), fallbackPath: join(mount.seen, ".seal.key") };
    await refused(readSealKeys(places), /cannot be made.*ENOSPC.*Free some space/, "storage_full");
    assert.deepEqual(readdirSync(mount.seen), ["all"]);
    mount.run('rm "$1/all"');
    assert.equal((await readSealKeys(places)).length, 1);
  });

  it("is not made where nothing can be written, which is said", async () => {
    const places = device();
    const fallbackPath = join(places.stateDirectory, "absent/.seal.key");
    await refused(readSealKeys({ ...places, fallbackPath }), /cannot be made.*ENOENT/, "storage_unwritable");
  });
});
