import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Custom, offer } from "../../lab/publisher/offers.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { failureOfAll } from "../../src/releases/kind-blockers.ts";
import { type Device, refusalsInWords, type Selection, select } from "../../src/releases/selection.ts";

const device: Device = {
  product: "demo",
  arch: "x64",
  agentVersion: "0.1.0",
  channel: "stable",
  installed: { rules: "1.0.0", binary: null },
  floors: {},
  failed: new Set(),
  held: new Set(),
};

function selectFrom(offers: readonly Custom[], overrides: Partial<Device> = {}): Selection {
  return select(
    offers.map((one) => offer(one)),
    { ...device, ...overrides },
  );
}

/** The chosen rules, or why the only offer is not. */
function verdict(one: Custom, overrides: Partial<Device> = {}): string | null {
  const { chosen, refused } = selectFrom([one], overrides);
  return chosen.rules?.version ?? chosen.binary?.version ?? refused[0]?.reason ?? null;
}

describe("select", () => {
  it("picks the newest of each kind, by precedence and not by the alphabet", () => {
    const { chosen, refused } = selectFrom([
      { version: "1.9.0" },
      { version: "1.10.0" },
      { version: "1.10.0-rc.1" },
      { kind: "binary", name: "demo", version: "3.0.0", arch: "x64" },
    ]);
    assert.equal(chosen.rules?.version, "1.10.0");
    assert.equal(chosen.binary?.version, "3.0.0");
    const reasons = refused.map(({ reason }) => reason);
    assert.deepEqual(reasons, ["is older than another offer", "is older than another offer"]);
  });

  it("offers only releases that are newer than the installed one", () => {
    assert.match(verdict({ version: "1.0.0" }) ?? "", /^is installed$/);
    assert.match(verdict({ version: "1.0.0+rebuilt" }) ?? "", /not newer/);
    assert.match(verdict({ version: "0.9.0" }) ?? "", /not newer/);
  });

  it("offers anything where nothing is known to be installed", () => {
    assert.equal(verdict({ version: "0.0.1" }, { installed: { rules: null, binary: null } }), "0.0.1");
  });

  it("takes the same of two that are equally new, in whatever order they come", () => {
    const offers = [{ version: "2.0.0+b" }, { version: "2.0.0+a" }];
    assert.equal(selectFrom(offers).chosen.rules?.version, "2.0.0+a");
    assert.equal(selectFrom(offers.toReversed()).chosen.rules?.version, "2.0.0+a");
  });

  describe("wrong software attack", () => {
    const wrong: [string, Custom, RegExp][] = [
      ["another channel", { version: "2.0.0", channel: "beta" }, /channel beta/],
      ["another product", { version: "2.0.0", product: "toaster" }, /product toaster/],
      ["another architecture", { version: "2.0.0", arch: "arm" }, /for arm/],
    ];
    for (const [name, one, expected] of wrong) {
      it(`does not offer a release for ${name}`, () => assert.match(verdict(one) ?? "", expected));
      it(`raises no floor for ${name}`, () => {
        assert.deepEqual(selectFrom([{ ...one, floor: "2.0.0" }]).floors, {});
      });
    }
  });

  describe("says of the installed release that it was withdrawn", () => {
    const bad = { version: "1.0.0", withdrawn: "it eats data" };
    const id = offer(bad).file.hashes.sha512?.slice(0, 32) ?? "";
    const recall = /^is installed, and was withdrawn by its publisher: it eats data$/;
    const rows: [name: string, one: Custom, overrides: Partial<Device>, expected: RegExp][] = [
      ["by its id", bad, { installedIds: { rules: id, binary: null } }, recall],
      ["by its version, where it came with the device", bad, {}, recall],
      ["also where the device follows another channel", { ...bad, channel: "beta" }, {}, recall],
      [
        "but not of another one",
        bad,
        { installedIds: { rules: "0".repeat(32), binary: null } },
        /^is installed$/,
      ],
      ["but not of another product", { ...bad, product: "toaster" }, {}, /product toaster/],
      ["but not of another architecture", { ...bad, arch: "arm" }, {}, /for arm/],
      ["but not of an older one", { ...bad, version: "0.9.0" }, {}, /not newer/],
    ];
    for (const [name, one, overrides, expected] of rows)
      it(name, () => assert.match(verdict(one, overrides) ?? "", expected));
    it("and not that it was not taken", () => assert.equal(refusalsInWords(selectFrom([bad])), null));
  });

  it("offers nothing that needs a newer agent", () => {
    assert.match(verdict({ version: "2.0.0", min_agent: "0.2.0" }) ?? "", /0\.2\.0/);
    assert.equal(verdict({ version: "2.0.0", min_agent: "0.1.0" }), "2.0.0");
  });

  it("offers nothing that failed here or is held back here", () => {
    const ids = new Set([offer({ version: "2.0.0" }).file.hashes.sha512?.slice(0, 32) ?? ""]);
    assert.match(verdict({ version: "2.0.0" }, { failed: ids }) ?? "", /failed/);
    assert.match(verdict({ version: "2.0.0" }, { held: ids }) ?? "", /held/);
  });

  describe("a signed floor", () => {
    const none = { installed: { rules: null, binary: null } };

    it("cannot be pushed out by a stolen key of the other kind that signs floors for many names", () => {
      const names = Array.from({ length: 100 }, (_, index) => ({ name: `r${index}`, floor: "1.0.0" }));
      const binary = { kind: "binary", name: "demo", version: "3.0.0", floor: "2.0.0" };
      const { floors } = selectFrom([...names, binary]);
      assert.equal(floors["binary/demo"], "2.0.0");
      assert.equal(Object.keys(floors).length, 33);
      assert.deepEqual(selectFrom(names, { floors }).floors, floors, "what was known did not stay");
    });

    it("keeps it out when its release is no longer on offer (rollback attack)", () => {
      const found = verdict({ version: "1.3.0" }, { ...none, floors: { "rules/base": "1.4.0" } }) ?? "";
      assert.match(found, /1\.4\.0/);
    });

    it("lets in what stands on it", () => {
      assert.equal(verdict({ version: "1.4.0" }, { ...none, floors: { "rules/base": "1.4.0" } }), "1.4.0");
    });

    it("rises with the next one, and not for another build of the same version", () => {
      const after = (floor: string) =>
        selectFrom([{ version: "9.0.0", floor }], { floors: { "rules/base": "1.4.0+a" } }).floors;
      assert.deepEqual(after("1.5.0"), { "rules/base": "1.5.0" });
      assert.deepEqual(after("1.4.0+b"), { "rules/base": "1.4.0+a" });
    });

    it("is one of 64 at most, whatever was known: more could not be stored", () => {
      const known = Array.from({ length: 64 }, (_, index) => [`rules/r${index}`, "1.0.0"]);
      const offers = [{ kind: "binary", name: "demo", version: "3.0.0", floor: "2.0.0" }];
      const { floors } = selectFrom(offers, { floors: Object.fromEntries(known) });
      assert.equal(Object.keys(floors).length, 64);
    });

    it("holds for its own name and kind alone", () => {
      assert.equal(verdict({ version: "1.3.0" }, { ...none, floors: { "rules/other": "9.0.0" } }), "1.3.0");
      assert.equal(verdict({ version: "1.3.0" }, { ...none, floors: { "binary/base": "9.0.0" } }), "1.3.0");
    });

    it("is not raised by a release that was withdrawn", () => {
      assert.deepEqual(selectFrom([{ version: "9.0.0", floor: "9.0.0", withdrawn: "a slip" }]).floors, {});
    });
  });

  it("says of each offer that is none for this device why", () => {
    const targets = [offer({ version: "1.0" }, "stable/rules/base-1.0.tar.gz"), offer({ version: "2.0.0" })];
    const { refused } = select(targets, device);
    assert.deepEqual(refused, [
      {
        path: "stable/rules/base-1.0.tar.gz",
        reason: "its version is no semantic version",
        isOrdinary: false,
      },
    ]);
  });

  describe("in words", () => {
    const words = (offers: readonly Custom[]) => refusalsInWords(selectFrom(offers));

    it("is silent about releases that are older or for others", () => {
      const found = words([{ version: "0.9.0" }, { version: "2.0.0", arch: "arm" }, { version: "1.1.0" }]);
      assert.equal(found, null);
      assert.equal(words([{ version: "0.9.0", withdrawn: "it was bad" }]), null);
      assert.equal(words([{ version: "1.2.0" }, { version: "1.1.0" }]), null);
    });

    it("names releases that a user may have waited for", () => {
      const found = words([{ version: "2.0.0", min_agent: "9.0.0" }]);
      assert.equal(
        found,
        'Not taken: "stable/rules/base-2.0.0.tar.gz" needs an agent of version 9.0.0, and this one is 0.1.0.',
      );
    });

    it("names three and counts the others", () => {
      const many = Array.from({ length: 5 }, (_, major) => ({
        version: `${major + 2}.0.0`,
        withdrawn: "bad",
      }));
      const reason = "was withdrawn by its publisher: bad";
      const named = ["2", "3", "4"].map((major) => `"stable/rules/base-${major}.0.0.tar.gz" ${reason}`);
      assert.equal(words(many), `Not taken: ${named.join("; ")}; and 2 more.`);
      assert.equal(words(many.slice(0, 3)), `Not taken: ${named.join("; ")}.`);
    });
  });
});

const expired = new StewardError("update_metadata_expired", "It has expired.");
const unsigned = new StewardError("update_signature_invalid", "It is signed by others.");

it("a blocked kind stops all only together with the other, and both are told where they differ", () => {
  assert.equal(failureOfAll({ rules: expired, binary: null }), null);
  assert.equal(failureOfAll({ rules: null, binary: unsigned }), null);
  assert.equal(failureOfAll({ rules: expired, binary: expired }), expired);
  const both = failureOfAll({ rules: expired, binary: unsigned });
  assert.equal(both?.code, "update_metadata_expired");
  assert.equal(both?.message, "It has expired. It is signed by others.");
  assert.equal(both?.cause, unsigned);
});
