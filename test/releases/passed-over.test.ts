import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Custom, offer } from "../../lab/publisher/offers.ts";
import { passedOver } from "../../src/contract/schemas/update-passed-over.ts";
import type { PassedOver } from "../../src/contract/types.ts";
import { countForOthers, countsOf, passedOverWords } from "../../src/releases/passed-over.ts";
import { type Device, passedOverOf, select } from "../../src/releases/selection.ts";
import { createCompiler } from "../../src/store/validation/compile.ts";

const here: Device = {
  product: "demo",
  arch: "x64",
  agentVersion: "0.1.0",
  channel: "stable",
  installed: { rules: "1.0.0", binary: null },
  floors: {},
  failed: new Set(),
  held: new Set(),
};

function toldOf(offers: readonly Custom[], device: Partial<Device> = {}, elsewhere: readonly Custom[] = []) {
  const targets = (list: readonly Custom[]) => list.map((one) => offer(one));
  return passedOverOf(select(targets(offers), { ...here, ...device }, targets(elsewhere)));
}

const failed = new Set([offer({ version: "2.0.0" }).file.hashes.sha512?.slice(0, 32) ?? ""]);

describe("what a check passes over", () => {
  type Told = [code: PassedOver["code"], offered: string | null, present: string | null];
  const newest = { installed: { rules: "2.0.0", binary: null } };
  const floors = { "rules/base": "3.0.0" };
  /** The release, the device's other facts, and what the check says of it by codes and in words. */
  const reasons: [Custom, Partial<Device>, Told, RegExp][] = [
    [{ channel: "beta" }, {}, ["other_channel", "beta", "stable"], /of the channel beta, not stable/],
    [{ product: "toaster" }, {}, ["other_product", "toaster", "demo"], /for the product toaster/],
    [{ arch: "arm64" }, {}, ["other_arch", "arm64", "x64"], /for arm64, and this device is x64/],
    [{}, { floors }, ["below_floor", null, "3.0.0"], /below 3\.0\.0/],
    [{ min_agent: "9.0.0" }, {}, ["needs_newer_agent", "9.0.0", "0.1.0"], /9\.0\.0, and this one is/],
    [{ withdrawn: "it eats data" }, {}, ["withdrawn", null, null], /publisher: it eats data/],
    [{}, { failed }, ["failed", null, null], /failed on this device before/],
    [{}, { held: failed }, ["held", null, null], /held back/],
    [{}, newest, ["not_newer", null, "2.0.0"], /^rules base 2\.0\.0 is installed$/],
  ];
  for (const [custom, device, [code, offered, present], words] of reasons)
    it(`is told by its code and facts: ${code}`, () => {
      const [one, ...others] = toldOf([{ version: "2.0.0", ...custom }], device);
      assert.ok(one);
      assert.deepEqual(others, []);
      assert.deepEqual([one.code, one.offered, one.here], [code, offered, present]);
      assert.deepEqual([one.kind, one.name, one.version], ["rules", "base", "2.0.0"]);
      assert.match(passedOverWords(one), /^rules base 2\.0\.0 /);
      assert.match(passedOverWords(one), words);
    });

  it("names an unreadable release by its path, with the reason", () => {
    const selection = select([offer({ version: "1.0" }, "stable/rules/\u001b[2J-1.0.tar.gz")], here);
    const [one] = passedOverOf(selection);
    assert.deepEqual([one?.code, one?.kind, one?.version], ["unreadable", null, null]);
    const found = one && passedOverWords(one);
    assert.equal(found, '"stable/rules/\\u001b[2J-1.0.tar.gz" is not below <channel>/<kind>/');
    assert.equal(selection.counts.unreadable, 1);
  });

  it("tells nothing of what was chosen, nor of what it has superseded", () => {
    assert.deepEqual(toldOf([{ version: "2.0.0" }, { version: "1.5.0" }]), []);
  });

  it("tells of many for others, or older, the newest alone, after what a person may wait for", () => {
    const versions = ["2.0.0", "2.2.0", "2.10.0", "2.1.0"];
    const told = toldOf(
      [
        ...versions.map((version) => ({ version, arch: "arm64" })),
        ...["0.8.0", "0.9.0"].map((version) => ({ version })),
        { version: "3.0.0", withdrawn: "bad" },
      ],
      {},
      versions.map((version) => ({ version, channel: "beta" })),
    );
    const codes = told.map(({ code, version }) => [code, version]);
    assert.deepEqual(codes, [
      ["withdrawn", "3.0.0"],
      ["other_channel", "2.10.0"],
      ["other_arch", "2.10.0"],
      ["not_newer", "0.9.0"],
    ]);
  });

  it("tells the newest of each name for others, and the newest of each kind where all are older", () => {
    const older = { version: "0.9.0" };
    const told = toldOf(
      [
        ...["base", "other"].map((name) => ({ ...older, name })),
        { ...older, kind: "binary", name: "demo" },
        ...["base", "other"].map((name) => ({ version: "2.0.0", name, arch: "arm64" })),
        { version: "2.0.0", arch: "arm" },
      ],
      { installed: { rules: "1.0.0", binary: "1.0.0" } },
    );
    const codes = told.map(({ code, name, offered }) => [code, name, offered]);
    assert.deepEqual(codes, [
      ["other_arch", "base", "arm64"],
      ["other_arch", "other", "arm64"],
      ["other_arch", "base", "arm"],
      ["not_newer", "base", null],
      ["not_newer", "demo", null],
    ]);
  });

  it("is bounded, in number and in length, and as the contract has it", () => {
    const withdrawn = "x".repeat(2_000);
    const told = toldOf(Array.from({ length: 40 }, (_, index) => ({ version: `2.${index}.0`, withdrawn })));
    assert.equal(told.length, 16);
    assert.equal(told[0]?.version, "2.39.0");
    assert.ok(JSON.stringify(told).length < 16 * 1_024, "the record would grow");
    const validate = createCompiler({ forSource: false }).compile(passedOver);
    const long = offer({ version: "1.0" }, `stable/rules/${"x".repeat(2_000)}`);
    const unreadable = passedOverOf(select([long], here));
    for (const one of [...told, ...unreadable]) assert.ok(validate(one), JSON.stringify(validate.errors));
  });

  it("says nothing of what it cannot read elsewhere, nor of what lies there for this device", () => {
    const elsewhere = [offer({ version: "1.0" }), offer({ version: "2.0.0" })];
    assert.deepEqual(select([], here, elsewhere).refused, []);
  });

  it("counts no release of another channel or processor that is no newer, and every one of another product", () => {
    const versions = ["0.9.0", "1.0.0", "1.1.0"];
    const of = (custom: Custom) => versions.map((version) => offer({ version, ...custom }));
    const targets = [...of({}), ...of({ arch: "arm" }), ...of({ product: "toaster" })];
    const { counts } = select(targets, here, of({ channel: "beta" }));
    const { other_channel, other_arch, other_product, not_newer } = counts;
    assert.deepEqual([other_channel, other_arch, other_product, not_newer], [1, 1, 3, 2]);
  });
});

it("what is passed over is counted by code, and what is for others together", () => {
  const counts = countsOf([
    "other_product",
    "other_arch",
    "other_arch",
    "other_channel",
    "held",
    "not_newer",
  ]);
  assert.deepEqual([counts.other_product, counts.other_arch, counts.other_channel], [1, 2, 1]);
  assert.deepEqual([counts.held, counts.not_newer, counts.failed], [1, 1, 0]);
  assert.deepEqual([countForOthers(counts), countForOthers(countsOf(["failed"]))], [4, 0]);
});
