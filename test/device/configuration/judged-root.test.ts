import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { Configuration } from "../../../src/contract/types.ts";
import {
  installedFingerprint,
  judgeRoot,
  rootChanges,
} from "../../../src/device/configuration/update-root.ts";
import { readRootOfTrust } from "../../../src/tuf/root-of-trust.ts";

const publisher = new SignedRepository();
for (const _ of ["second", "third"]) {
  publisher.keys.root = [createSigningKey()];
  publisher.publishRoot();
}
const bytes = (version: number) => publisher.metadata(`${version}.root`);
const root = (version: number) => JSON.parse(bytes(version).toString()) as object;
const fingerprint = (version: number) => readRootOfTrust(bytes(version)).fingerprint;

const judged = (update_root: unknown, installed: () => Promise<Uint8Array | null> = async () => null) =>
  judgeRoot({ version: 1, update_root } as Configuration, installed);

describe("the root of trust of a file", () => {
  it("is no matter where the file names none, whatever is installed", async () => {
    const installed = () => Promise.reject(new StewardError("update_root_unusable", "It is not root's."));
    assert.deepEqual(await judged(undefined, installed), { faults: [], change: null });
  });

  it("is a change to what is not there, to a later one, and none to the installed one", async () => {
    const changeFrom = async (installed: number | null, ...versions: number[]) => {
      const wanted = versions.length === 1 ? root(versions[0] ?? 0) : versions.map(root);
      const found = await judged(wanted, async () => (installed === null ? null : bytes(installed)));
      assert.deepEqual(found.faults, []);
      return rootChanges(found);
    };
    const members = (before: number | null, after: number) => [
      { member: "fingerprint", before: before && fingerprint(before), after: fingerprint(after) },
      { member: "version", before: before && String(before), after: String(after) },
    ];
    const [created, changed] = ["created", "changed"].map((action) => ({
      subject: "update_root",
      name: "",
      action,
    }));
    assert.deepEqual(await changeFrom(null, 1), [{ ...created, members: members(null, 1) }]);
    assert.deepEqual(await changeFrom(null, 1, 2, 3), [{ ...created, members: members(null, 3) }]);
    assert.deepEqual(await changeFrom(1, 2), [{ ...changed, members: members(1, 2) }]);
    assert.deepEqual(await changeFrom(2, 1, 2, 3), [{ ...changed, members: members(2, 3) }]);
    assert.deepEqual(await changeFrom(3, 3), []);
    assert.deepEqual(await changeFrom(3, 1, 2, 3), []);
  });

  it("is a fault at its place where it does not follow, with the reason", async () => {
    const faultOf = async (wanted: unknown, installed: number | null) => {
      const { faults, change } = await judged(wanted, async () =>
        installed === null ? null : bytes(installed),
      );
      assert.equal(change, null);
      assert.equal(faults.length, 1);
      const [fault] = faults;
      assert.equal(fault?.as, "validation_failed");
      assert.equal(fault.sentence, `${fault.pointer} ${fault.detail}`);
      assert.match(fault.detail, /^cannot be installed: /);
      return fault.pointer;
    };
    assert.equal(await faultOf(root(3), 1), "/update_root");
    assert.equal(await faultOf(root(1), 2), "/update_root");
    assert.equal(await faultOf([root(1), root(3)], null), "/update_root/1");
    assert.equal(await faultOf([root(1), root(2)], 3), "/update_root/0");
    assert.equal(await faultOf([root(2), root(3), { ...root(3), signatures: [] }], 2), "/update_root/2");
    assert.equal(await faultOf({ signatures: [], signed: {} }, null), "/update_root");
    const deep: { a?: object } = {};
    let inner = deep;
    for (let depth = 0; depth < 100_000; depth += 1) {
      const next = {};
      inner.a = next;
      inner = next;
    }
    assert.equal(await faultOf({ signatures: [], signed: deep }, null), "/update_root");
  });

  it("is a fault with what to do where the installed one cannot be used", async () => {
    const [fault] = (await judged(root(1), async () => Buffer.from("{}"))).faults;
    assert.equal(fault?.pointer, "/update_root");
    assert.match(
      fault?.detail ?? "",
      /^has an installed root before it that fails: .*steward update trust install FILE --replace/,
    );
  });

  it("is not judged where the disk fails: that is no fault of the file", async () => {
    const failing = () => Promise.reject(new Error("EIO"));
    await assert.rejects(judged(root(1), failing), /EIO/);
    await assert.rejects(installedFingerprint(failing), /EIO/);
  });

  it("goes by the fingerprint of the installed one; there is none where that cannot be used", async () => {
    assert.equal(await installedFingerprint(async () => bytes(2)), fingerprint(2));
    assert.equal(await installedFingerprint(async () => null), null);
    assert.equal(await installedFingerprint(async () => Buffer.from("{}")), null);
    const foreign = () => Promise.reject(new StewardError("update_root_unusable", "It is not root's."));
    assert.equal(await installedFingerprint(foreign), null);
  });
});
