import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  isRoot,
  openVerifyLab,
  takesNothing,
  type VerifyLab,
} from "../../../lab/devices/verifying-device.ts";
import { inDays } from "../../../lab/publisher/signed-forms.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";

/** A staged release of each kind, with something wrong with one of the two roles. */
async function withSpoilt(
  test: TestContext,
  spoil: (lab: VerifyLab) => void,
): Promise<{ lab: VerifyLab; rules: string; binary: string }> {
  const lab = await openVerifyLab(test);
  const rules = lab.publisher.addRelease({ version: "1.1.0", custom: { floor: "1.0.0" } });
  const binary = lab.publisher.addRelease({ kind: "binary", version: "2.0.0", arch: "x64" });
  spoil(lab);
  lab.publisher.publish("rules", "binary");
  await lab.hold();
  return { lab, rules: await lab.stage(rules), binary: await lab.stage(binary) };
}

function expire({ publisher }: VerifyLab, role: "rules" | "binary"): void {
  const signed = publisher.delegated[role];
  assert.ok(signed, `the lab has ${role}`);
  signed.expires = inDays(new Date(), -1);
}

describe("the installer, with one kind of unusable metadata", { skip: !isRoot && "needs root" }, () => {
  it("takes rules while the binary role has expired, and no binary", async (test) => {
    const { lab, rules, binary } = await withSpoilt(test, (lab) => expire(lab, "binary"));
    const { release, floors } = await lab.verifyAndCopy(rules);
    assert.equal(release.version, "1.1.0");
    assert.deepEqual(floors, { "rules/base": "1.0.0" });
    await takesNothing(lab, { id: binary, code: "update_metadata_expired", saying: /role binary/ });
  });

  it("takes a binary whatever a thief of the rules key has signed, and no rules", async (test) => {
    const { lab, rules, binary } = await withSpoilt(test, ({ publisher }) => {
      publisher.signers.rules = [createSigningKey()];
    });
    assert.equal((await lab.verifyAndCopy(binary)).release.version, "2.0.0");
    await takesNothing(lab, { id: rules, code: "update_signature_invalid", saying: /role rules/ });
  });

  it("takes no rules from an agent that holds their metadata back, so that it cannot hide a floor", async (test) => {
    const { lab, rules } = await withSpoilt(test, () => undefined);
    lab.asAgent('rm "$UPDATES/metadata/rules.json"');
    await takesNothing(lab, { id: rules, code: "update_not_acceptable" });
  });

  it("takes nothing where a top-level role has expired", async (test) => {
    const { lab, rules, binary } = await withSpoilt(test, ({ publisher }) => {
      publisher.snapshot.expires = inDays(new Date(), -1);
    });
    for (const id of [rules, binary])
      await takesNothing(lab, { id, code: "update_metadata_expired", saying: /role snapshot/ });
  });
});
