import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Custom, offer } from "../../lab/publisher/offers.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { passedOver } from "../../src/contract/schemas/update-passed-over.ts";
import type { PassedOver } from "../../src/contract/types.ts";
import { failureOfAll } from "../../src/releases/kind-blockers.ts";
import { countForOthers, countsOf, passedOverWords } from "../../src/releases/passed-over.ts";
import {
  type Device,
  passedOverOf,
  refusalsInWords,
  type Selection,
  select,
} from "../../src/releases/selection.ts";
import { createCompiler } from "../../src/store/validation/compile.ts";

const device: Device = {
  ...{ product: "demo", arch: "x64", agentVersion: "0.1.0", channel: "stable", floors: {} },
  ...{ installed: { rules: "1.0.0", binary: null }, failed: new Set(), held: new Set() },
};

function selectFrom(
  offers: readonly Custom[],
  overrides: Partial<Device> = {},
  elsewhere: readonly Custom[] = [],
): Selection {
  const targets = (list: readonly Custom[]) => list.map((one) => offer(one));
  return select(targets(offers), { ...device, ...overrides }, targets(elsewhere));
}

/** The chosen rules, or why the only offer is not. */
function verdict(one: Custom, overrides: Partial<Device> = {}): string | null {
  const { chosen, refused } = selectFrom([one], overrides);
  return chosen.rules?.version ?? chosen.binary?.version ?? refused[0]?.reason ?? null;
}

const idOf = (custom: Custom): string => offer(custom).file.hashes.sha512?.slice(0, 32) ?? "";
const nothing = { rules: null, binary: null };

describe("select", () => {
  it("picks the newest of each kind, by precedence and not by the alphabet", () => {
    const versions = ["1.9.0", "1.10.0", "1.10.0-rc.1"].map((version) => ({ version }));
    const binary = { kind: "binary", name: "demo", version: "3.0.0", arch: "x64" };
    const { chosen, refused } = selectFrom([...versions, binary]);
    assert.deepEqual([chosen.rules?.version, chosen.binary?.version], ["1.10.0", "3.0.0"]);
    const found = refused.map(({ reason }) => reason);
    assert.deepEqual(found, Array(2).fill("is older than another offer"));
  });

  it("takes the same of two that are equally new, in whatever order they come", () => {
    const offers = [{ version: "2.0.0+b" }, { version: "2.0.0+a" }];
    for (const all of [offers, offers.toReversed()])
      assert.equal(selectFrom(all).chosen.rules?.version, "2.0.0+a");
  });

  it("says of each offer that is none for this device why", () => {
    const path = "stable/rules/base-1.0.tar.gz";
    const { refused } = select([offer({ version: "1.0" }, path), offer({ version: "2.0.0" })], device);
    assert.deepEqual(refused, [{ path, reason: "its version is not a semantic version", isOrdinary: false }]);
  });

  const bad = { version: "1.0.0", withdrawn: "it eats data" };
  const recall = /^is installed, and was withdrawn by its publisher: it eats data$/;
  const atFloor = { installed: nothing, floors: { "rules/base": "1.4.0" } };
  const others = { installed: nothing, floors: { "rules/other": "9.0.0", "binary/base": "9.0.0" } };
  const of = (id: string): Partial<Device> => ({ installedIds: { rules: id, binary: null } });
  for (const [what, one, overrides, expected] of [
    ["is not the installed one", { version: "1.0.0" }, {}, /^is installed$/],
    ["is no other build of the installed version", { version: "1.0.0+rebuilt" }, {}, /not newer/],
    ["is none that is older", { version: "0.9.0" }, {}, /not newer/],
    ["is any where nothing is installed", { version: "0.0.1" }, { installed: nothing }, /^0\.0\.1$/],
    ["may need this very agent", { version: "2.0.0", min_agent: "0.1.0" }, {}, /^2\.0\.0$/],
    [
      "is not below a floor that is no longer on offer (rollback attack)",
      { version: "1.3.0" },
      atFloor,
      /1\.4\.0/,
    ],
    ["may be at the floor", { version: "1.4.0" }, atFloor, /^1\.4\.0$/],
    ["may be below the floor of another name and kind", { version: "1.3.0" }, others, /^1\.3\.0$/],
    ["is told as withdrawn by its id where it is installed", bad, of(idOf(bad)), recall],
    ["is told so by its version where it came with the device", bad, {}, recall],
    ["is told so where the device follows another channel", { ...bad, channel: "beta" }, {}, recall],
    ["is not told so for another id", bad, of("0".repeat(32)), /^is installed$/],
    ["is not told so for another product", { ...bad, product: "toaster" }, {}, /product toaster/],
    ["is not told so for another architecture", { ...bad, arch: "arm" }, {}, /for arm/],
    ["is not told so for an older one", { ...bad, version: "0.9.0" }, {}, /not newer/],
  ] as [string, Custom, Partial<Device>, RegExp][])
    it(`what is chosen ${what}`, () => assert.match(verdict(one, overrides) ?? "", expected));
});

describe("a signed floor", () => {
  const binary = { kind: "binary", name: "demo", version: "3.0.0", floor: "2.0.0" };

  it("cannot be pushed out by a stolen key of the other kind that signs floors for many names", () => {
    const names = Array.from({ length: 100 }, (_, index) => ({ name: `r${index}`, floor: "1.0.0" }));
    const { floors } = selectFrom([...names, binary]);
    assert.deepEqual([floors["binary/demo"], Object.keys(floors).length], ["2.0.0", 33]);
    assert.deepEqual(selectFrom(names, { floors }).floors, floors, "what was known did not stay");
  });

  it("is one of 64 at most, whatever was known: more could not be stored", () => {
    const known = Array.from({ length: 64 }, (_, index) => [`rules/r${index}`, "1.0.0"]);
    const { floors } = selectFrom([binary], { floors: Object.fromEntries(known) });
    assert.equal(Object.keys(floors).length, 64);
  });

  it("rises with the next one, and neither for another build, nor by what is withdrawn or for others", () => {
    for (const [custom, expected] of [
      [{ floor: "1.5.0" }, "1.5.0"],
      [{ floor: "1.4.0+b" }, "1.4.0+a"],
      [{ floor: "1.5.0", withdrawn: "a slip" }, "1.4.0+a"],
      ...[{ channel: "beta" }, { product: "toaster" }, { arch: "arm" }].map(
        (other) => [{ floor: "1.5.0", ...other }, "1.4.0+a"] as const,
      ),
    ] as const) {
      const { floors } = selectFrom([{ version: "9.0.0", ...custom }], {
        floors: { "rules/base": "1.4.0+a" },
      });
      assert.deepEqual(floors, { "rules/base": expected });
    }
  });
});

describe("in words, a selection", () => {
  const words = (...offers: readonly Custom[]) => refusalsInWords(selectFrom(offers));

  it("is silent about releases that are older, recalled or for others", () => {
    assert.equal(words({ version: "0.9.0" }, { version: "2.0.0", arch: "arm" }, { version: "1.1.0" }), null);
    for (const version of ["0.9.0", "1.0.0"]) assert.equal(words({ version, withdrawn: "bad" }), null);
    assert.equal(words({ version: "1.2.0" }, { version: "1.1.0" }), null);
  });

  it("names three releases that a user may have waited for, and counts the others", () => {
    const many = Array.from({ length: 5 }, (_, at) => ({ version: `${at + 2}.0.0`, withdrawn: "bad" }));
    const reason = "was withdrawn by its publisher: bad";
    const named = ["2", "3", "4"].map((major) => `"stable/rules/base-${major}.0.0.tar.gz" ${reason}`);
    assert.equal(words(...many), `Not taken: ${named.join("; ")}; and 2 more.`);
    assert.equal(words(...many.slice(0, 3)), `Not taken: ${named.join("; ")}.`);
  });
});

describe("what a check passes over", () => {
  const told = (...given: Parameters<typeof selectFrom>) => passedOverOf(selectFrom(...given));
  const failed = new Set([idOf({ version: "2.0.0" })]);
  const newest = { installed: { rules: "2.0.0", binary: null } };
  const floors = { "rules/base": "3.0.0" };
  /** The release, the device's other facts, and what the check says of it by code, what is offered and here, and in words. */
  for (const [custom, facts, code, offered, here, words] of [
    [{ channel: "beta" }, {}, "other_channel", "beta", "stable", /of the channel beta, not stable/],
    [{ product: "toaster" }, {}, "other_product", "toaster", "demo", /for the product toaster/],
    [{ arch: "arm64" }, {}, "other_arch", "arm64", "x64", /for arm64, and this device is x64/],
    [{}, { floors }, "below_floor", null, "3.0.0", /below 3\.0\.0/],
    [{ min_agent: "9.0.0" }, {}, "needs_newer_agent", "9.0.0", "0.1.0", /9\.0\.0, and this one is/],
    [{ withdrawn: "it eats data" }, {}, "withdrawn", null, null, /publisher: it eats data/],
    [{}, { failed }, "failed", null, null, /failed on this device before/],
    [{}, { held: failed }, "held", null, null, /held back/],
    [{}, newest, "not_newer", null, "2.0.0", /^rules base 2\.0\.0 is installed$/],
  ] as [Custom, Partial<Device>, PassedOver["code"], string | null, string | null, RegExp][])
    it(`is told by its code and facts: ${code}`, () => {
      const [one, ...others] = told([{ version: "2.0.0", ...custom }], facts);
      assert.ok(one);
      assert.deepEqual(others, []);
      assert.deepEqual([one.code, one.offered, one.here], [code, offered, here]);
      assert.deepEqual([one.kind, one.name, one.version], ["rules", "base", "2.0.0"]);
      assert.match(passedOverWords(one), /^rules base 2\.0\.0 /);
      assert.match(passedOverWords(one), words);
    });

  it("names an unreadable release by its path, with the reason", () => {
    const selection = select([offer({ version: "1.0" }, "stable/rules/\u001b[2J-1.0.tar.gz")], device);
    const [one] = passedOverOf(selection);
    assert.deepEqual([one?.code, one?.kind, one?.version], ["unreadable", null, null]);
    const found = one && passedOverWords(one);
    assert.equal(found, '"stable/rules/\\u001b[2J-1.0.tar.gz" is not below <channel>/<kind>/');
    assert.equal(selection.counts.unreadable, 1);
  });

  it("is of many the newest of each name for others, or of each kind that is older, after what one may wait for", () => {
    const versions = ["2.0.0", "2.2.0", "2.10.0", "2.1.0"];
    const older = { version: "0.9.0" };
    const installed = { rules: "1.0.0", binary: "1.0.0" };
    const codesOf = (...given: Parameters<typeof told>) =>
      told(...given).map(({ code, name, version, offered }) => `${code} ${name} ${version} ${offered}`);
    const offers = [
      ...versions.flatMap((version) => ["base", "other"].map((name) => ({ version, name, arch: "arm64" }))),
      ...[{ version: "2.0.0", arch: "arm" }, { version: "0.8.0" }, older, { ...older, name: "other" }],
      ...[
        { ...older, kind: "binary", name: "demo" },
        { version: "3.0.0", withdrawn: "bad" },
      ],
    ];
    const elsewhere = versions.map((version) => ({ version, channel: "beta" }));
    assert.deepEqual(codesOf(offers, { installed }, elsewhere), [
      ...["withdrawn base 3.0.0 null", "other_channel base 2.10.0 beta"],
      ...["other_arch base 2.10.0 arm64", "other_arch other 2.10.0 arm64", "other_arch base 2.0.0 arm"],
      ...["not_newer base 0.9.0 null", "not_newer demo 0.9.0 null"],
    ]);
    assert.deepEqual(
      codesOf([{ version: "2.0.0" }, { version: "1.5.0" }]),
      [],
      "the chosen, and what it supersedes",
    );
  });

  it("is bounded, in number and in length, and as the contract has it", () => {
    const withdrawn = "x".repeat(2_000);
    const many = told(Array.from({ length: 40 }, (_, index) => ({ version: `2.${index}.0`, withdrawn })));
    assert.deepEqual([many.length, many[0]?.version], [16, "2.39.0"]);
    assert.ok(JSON.stringify(many).length < 16 * 1_024, "the record would grow");
    const validate = createCompiler({ forSource: false }).compile(passedOver);
    const long = offer({ version: "1.0" }, `stable/rules/${"x".repeat(2_000)}`);
    for (const one of [...many, ...passedOverOf(select([long], device))])
      assert.ok(validate(one), JSON.stringify(validate.errors));
  });

  it("is nothing that cannot be read elsewhere, nor what lies there for this device", () => {
    assert.deepEqual(selectFrom([], {}, [{ version: "1.0" }, { version: "2.0.0" }]).refused, []);
  });

  it("is counted by code: of another channel or processor what is newer, of another product all", () => {
    const of = (custom: Custom) => ["0.9.0", "1.0.0", "1.1.0"].map((version) => ({ version, ...custom }));
    const offers = [...of({}), ...of({ arch: "arm" }), ...of({ product: "toaster" })];
    const { counts } = selectFrom(offers, {}, of({ channel: "beta" }));
    const { other_channel, other_arch, other_product, not_newer, failed } = counts;
    assert.deepEqual([other_channel, other_arch, other_product, not_newer, failed], [1, 1, 3, 2, 0]);
    assert.deepEqual([countForOthers(counts), countForOthers(countsOf(["failed"]))], [5, 0]);
  });
});

it("a blocked kind stops all only together with the other, and both are told where they differ", () => {
  const expired = new StewardError("update_metadata_expired", "It has expired.");
  const unsigned = new StewardError("update_signature_invalid", "It is signed by others.");
  assert.equal(failureOfAll({ rules: expired, binary: null }), null);
  assert.equal(failureOfAll({ rules: null, binary: unsigned }), null);
  assert.equal(failureOfAll({ rules: expired, binary: expired }), expired);
  const { code, message, cause } = failureOfAll({ rules: expired, binary: unsigned }) ?? {};
  assert.deepEqual([code, cause], ["update_metadata_expired", unsigned]);
  assert.equal(message, "It has expired. It is signed by others.");
});
