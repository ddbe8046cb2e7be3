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

/** The judgement of this root, or chain of roots, by its versions. */
const judgedFrom = (installed: number | null, wanted: unknown) =>
  judged(wanted, async () => (installed === null ? null : bytes(installed)));
const foreign = () => Promise.reject(new StewardError("update_root_unusable", "It is not root's."));
const failing = () => Promise.reject(new Error("EIO"));

describe("the root of trust of a file", () => {
  it("is no matter where the file names none, whatever is installed", async () => {
    assert.deepEqual(await judged(undefined, foreign), { faults: [], change: null });
  });

  for (const [installed, versions, action] of [
    [null, [1], "created"],
    [null, [1, 2, 3], "created"],
    [1, [2], "changed"],
    [2, [1, 2, 3], "changed"],
    [3, [3], null],
    [3, [1, 2, 3], null],
  ] as const)
    it(`of versions ${versions} over ${installed} is ${action ?? "no change"}`, async () => {
      const found = await judgedFrom(
        installed,
        versions.length === 1 ? root(versions[0]) : versions.map(root),
      );
      assert.deepEqual(found.faults, []);
      const last = versions.at(-1) ?? 0;
      const members = [
        { member: "fingerprint", before: installed && fingerprint(installed), after: fingerprint(last) },
        { member: "version", before: installed && String(installed), after: String(last) },
      ];
      const change = { subject: "update_root", name: "", action, members };
      assert.deepEqual(rootChanges(found), action === null ? [] : [change]);
    });

  it("is a fault at its place where it does not follow, with the reason", async () => {
    const deep: { a?: object } = {};
    let inner = deep;
    for (let depth = 0; depth < 100_000; depth += 1) inner = inner.a = {};
    for (const [wanted, installed, pointer] of [
      [root(3), 1, ""],
      [root(1), 2, ""],
      [[root(1), root(3)], null, "/1"],
      [[root(1), root(2)], 3, "/0"],
      [[root(2), root(3), { ...root(3), signatures: [] }], 2, "/2"],
      [{ signatures: [], signed: {} }, null, ""],
      [{ signatures: [], signed: deep }, null, ""],
    ] as const) {
      const { faults, change } = await judgedFrom(installed, wanted);
      const [fault] = faults;
      assert.deepEqual([change, faults.length, fault?.pointer], [null, 1, `/update_root${pointer}`]);
      assert.deepEqual(
        [fault?.as, fault?.sentence],
        ["validation_failed", `${fault?.pointer} ${fault?.detail}`],
      );
      assert.match(fault?.detail ?? "", /^cannot be installed: /);
    }
  });

  it("is a fault with what to do where the installed one cannot be used", async () => {
    const [fault] = (await judged(root(1), async () => Buffer.from("{}"))).faults;
    assert.equal(fault?.pointer, "/update_root");
    const advice =
      /^has an installed root before it that fails: .*steward update trust install FILE --replace/;
    assert.match(fault?.detail ?? "", advice);
  });

  it("is not judged where the disk fails: that is no fault of the file", async () => {
    await assert.rejects(judged(root(1), failing), /EIO/);
    await assert.rejects(installedFingerprint(failing), /EIO/);
  });

  it("goes by the fingerprint of the installed one; there is none where that cannot be used", async () => {
    assert.equal(await installedFingerprint(async () => bytes(2)), fingerprint(2));
    for (const none of [async () => null, async () => Buffer.from("{}"), foreign])
      assert.equal(await installedFingerprint(none), null);
  });
});
