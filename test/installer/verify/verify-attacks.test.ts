import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  agentUser,
  does,
  isRoot,
  labDevice,
  openVerifyLab,
  takesNothing,
  type VerifyLab,
  withStaged,
} from "../../../lab/devices/verifying-device.ts";
import { inDays } from "../../../lab/publisher/signed-forms.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";
import { openInstallerTrust } from "../../../src/installer/verify/installer-trust.ts";
import { emptyJournal, type ReleaseJournal } from "../../../src/releases/release-journal.ts";

function journalWith(version: string, more: Partial<ReleaseJournal["slots"]["rules"]> = {}): ReleaseJournal {
  const good = [{ id: "0".repeat(32), name: "base", version }];
  const rules = { ...emptyJournal.slots.rules, good, ...more };
  return { ...emptyJournal, slots: { ...emptyJournal.slots, rules } };
}

describe("a compromised agent", { skip: !isRoot && "needs root" }, () => {
  it("is another user and holds CAP_SYS_TIME, and nothing else, in what follows", async (test) => {
    const lab = await openVerifyLab(test);
    const { stdout } = lab.asAgent("id -u; grep CapEff /proc/self/status");
    // capability.h: CAP_SYS_TIME is 25.
    assert.match(
      stdout,
      new RegExp(`^${agentUser}\\nCapEff:\\s+${(2 ** 25).toString(16).padStart(16, "0")}\\n$`),
    );
  });

  it("cannot edit the journal, nor the knowledge of the installer", async (test) => {
    const { lab } = await withStaged(test);
    await lab.verifyNew("1.1.0");
    const attempts = [
      'echo {} > "$RELEASES/journal.json"',
      'rm -f "$RELEASES/journal.json"',
      'mv "$UPDATES/staged" "$RELEASES/rules"',
      'echo {} > "$TRUST/updates.json"',
      'echo {} > "$TRUST/time-floor.json"',
      'ls "$TRUST"',
      'cp "$UPDATES/metadata/root.json" "$TRUST/metadata/root.json"',
    ];
    for (const attempt of attempts) {
      const { status, stderr } = lab.asAgent(attempt);
      assert.notEqual(status, 0, attempt);
      assert.match(stderr, /Permission denied/, attempt);
    }
  });

  describe("gives other bytes than were signed", () => {
    const payload = Buffer.alloc(900_000, "rules");

    it("one byte changed in the middle, one byte more, or one less", async (test) => {
      const { lab, id } = await withStaged(test, { payload });
      const code = "update_payload_mismatch";
      does(lab, 'printf X | dd of="$UPDATES/staged/$1.tar.gz" bs=1 seek=600000 conv=notrunc status=none', id);
      await takesNothing(lab, { id, code, saying: /sha512/ });
      for (const size of ["+1", "-2"]) {
        does(lab, 'truncate -s "$2" "$UPDATES/staged/$1.tar.gz"', id, size);
        await takesNothing(lab, { id, code, saying: /, and 900000 are signed/ });
      }
    });

    it("another release of the publisher's, under this one's id", async (test) => {
      const { lab, id, added } = await withStaged(test, { payload });
      const other = lab.publisher.addRelease({ version: "0.9.0", payload: Buffer.alloc(900_000, "other") });
      lab.publisher.publish("rules");
      await lab.hold();
      await lab.stage(added, other.payload);
      await takesNothing(lab, { id, code: "update_payload_mismatch" });
    });
  });

  describe("gives something older that was signed once", () => {
    it("an older release, and the metadata of then (rollback attack)", async (test) => {
      const { lab, id } = await withStaged(test);
      const old = lab.publisher.fork();
      await lab.verifyNew("2.0.0");
      await lab.hold(old);
      await lab.hold(old);
      await takesNothing(lab, { id, code: "update_rollback_refused", saying: /role timestamp/ });
    });

    it("for Steward itself, one older than its package", async (test) => {
      const { lab, id } = await withStaged(test, { kind: "binary", product: "steward", arch: "x64" });
      const device = { ...labDevice, product: "steward", packaged: { rules: null, binary: "1.0.0" } };
      await takesNothing(
        lab,
        { id, code: "update_not_acceptable", saying: /^steward 1\.0\.0 is installed\.$/ },
        { device },
      );
    });
  });

  describe("gives what others have signed, or what was never meant for this device", () => {
    it("all of another publisher's, with its root in the place of the trusted one", async (test) => {
      const { lab } = await withStaged(test);
      const evil = new SignedRepository();
      const added = evil.addRelease({ version: "9.0.0" });
      evil.publish("rules");
      evil.publishRoot();
      await lab.hold(evil);
      does(lab, 'echo {} > "$UPDATES/../updates.json"');
      await takesNothing(lab, { id: await lab.stage(added), code: "update_signature_invalid" });
    });

    it("an unsigned release", async (test) => {
      const { lab } = await withStaged(test);
      const added = new SignedRepository().addRelease({ version: "9.0.0" });
      const id = await lab.stage(added);
      await takesNothing(lab, { id, code: "update_not_acceptable", saying: /is not signed/ });
    });

    it("a binary that the rules' key has signed, wherever it is said to lie", async (test) => {
      const { lab } = await withStaged(test);
      const custom = {
        steward: 1,
        kind: "binary",
        name: "demo",
        version: "9.0.0",
        channel: "stable",
        product: "demo",
        arch: "any",
      };
      const under = (kind: string) =>
        lab.publisher.addTarget("rules", `stable/${kind}/demo-9.tar.gz`, Buffer.from(`evil ${kind}`), custom);
      const [inBinary, inRules] = [under("binary"), under("rules")];
      lab.publisher.publish("rules");
      await lab.hold();
      const code = "update_not_acceptable";
      await takesNothing(lab, { id: await lab.stage(inBinary), code, saying: /is not signed/ });
      await takesNothing(lab, {
        id: await lab.stage(inRules),
        code,
        saying: /kind binary, but its path says another/,
      });
    });

    it("another product, and a channel that root does not let in", async (test) => {
      const code = "update_not_acceptable";
      const { lab, id } = await withStaged(test, { product: "pump" });
      await takesNothing(lab, { id, code, saying: /for the product pump, not demo/ });
      const beta = await withStaged(test, { channel: "beta" });
      const saying = /belongs to the channel beta, and the host file allows stable/;
      const device = { ...labDevice, channels: ["stable"] };
      await takesNothing(beta.lab, { id: beta.id, code, saying }, { device });
    });

    it("one below a floor that came with an offer that was itself refused", async (test) => {
      const { lab, id } = await withStaged(test, {
        version: "3.0.0",
        custom: { floor: "3.0.0", min_agent: "9.0.0" },
      });
      await takesNothing(lab, { id, code: "update_not_acceptable", saying: /needs an agent/ });
      const trust = await openInstallerTrust(lab);
      assert.deepEqual(trust.floors(), { "rules/base": "3.0.0" });
      await trust.close();
    });

    it("one below a floor that the installer has seen, although no present release has it", async (test) => {
      const { lab } = await withStaged(test);
      const raising = lab.publisher.addRelease({ version: "3.0.0", custom: { floor: "3.0.0" } });
      lab.publisher.publish("rules");
      await lab.hold();
      const journal = journalWith("2.0.0");
      // Seen is enough: it was never installed.
      const { floors } = await lab.verifyAndCopy(await lab.stage(raising), { journal });
      assert.deepEqual(floors, { "rules/base": "3.0.0" });
      lab.publisher.addRelease({ version: "3.0.0", custom: { withdrawn: "a slip" } });
      const below = lab.publisher.addRelease({ version: "2.5.0" });
      lab.publisher.publish("rules");
      await lab.hold();
      const id = await lab.stage(below);
      const saying = /base 2.5.0 is below 3.0.0/;
      await takesNothing(lab, { id, code: "update_not_acceptable", saying }, { journal });
    });
  });
});

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
