import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { spoilt } from "../../lab/publisher/spoilt.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { caps } from "../../src/tuf/caps.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";

const lab = new SignedRepository();
lab.addRelease();
lab.publish("targets", "rules");

// biome-ignore lint/suspicious/noExplicitAny: metadata that are to be spoilt in any place
type Spoiled = any;

type Name = "root" | "timestamp" | "snapshot" | "targets" | "rules";
const typeOf = (name: Name) => (name === "rules" ? "targets" : name);
const original = (name: Name): Spoiled =>
  JSON.parse(String(lab.metadata({ root: "1.root", timestamp: "timestamp" }[name as string] ?? `2.${name}`)));
const read = (name: Name, place: string, value: unknown) =>
  readMetadata(typeOf(name), Buffer.from(JSON.stringify(spoilt(original(name), place, value))), caps);

const signatures = (count: number) => Array.from({ length: count }, (_, at) => ({ keyid: `${at}`, sig: "" }));
const rootKey = lab.keys.root?.[0]?.id;
const snapshot = "signed meta snapshot.json";
const delegation = "signed delegations roles 0";
const { paths: _, ...withoutPaths } = original("targets").signed.delegations.roles[0];

/** The value in a place is good or bad there; none: the member is absent. */
const rows: [name: Name, place: string, good: unknown[], bad: unknown[]][] = [
  ["root", "signed expires", ["2099-12-31T23:59:59Z"], ["2099-02-30T00:00:00Z", "2099-01-01T24:00:00Z"]],
  // A month too many, local time, beyond what a Date holds, a year of six digits, milliseconds, and an offset.
  ["root", "signed expires", [], ["2027-13-41T00:00:00Z", "2027-01-01T00:00:00"]],
  ["root", "signed expires", [], ["+275760-09-14T00:00:00Z", "+012099-01-01T00:00:00Z"]],
  ["root", "signed expires", [], ["2099-01-01T00:00:00.000Z", "2099-01-01T00:00+00"]],
  ["timestamp", "signed _type", [], ["snapshot"]],
  ["timestamp", "signed spec_version", ["1.0", "1.31.0"], ["2.0.0", "21.0.34", "1.0.34-draft"]],
  ["root", "signed version", [1], [undefined, 0, -1, "1"]],
  [
    "root",
    "signatures",
    [signatures(64)],
    [undefined, {}, signatures(65), [0, 0].flatMap(() => signatures(1))],
  ],
  ["root", "signatures 0 keyid", [], [undefined]],
  ["root", "signed consistent_snapshot", [undefined], ["yes"]],
  ["root", "signed roles timestamp", [], [undefined]],
  ["root", "signed roles root threshold", [1], [0]],
  ["root", "signed roles root keyids", [[rootKey]], [[rootKey, rootKey]]],
  ["root", "signed keys * keyval public", [], [undefined]],
  ["timestamp", "signed meta targets.json", [], [{ version: 1 }]],
  ["timestamp", snapshot, [], [undefined]],
  ["timestamp", `${snapshot} version`, [1], [0]],
  ["timestamp", `${snapshot} length`, [undefined, 0], []],
  ["timestamp", `${snapshot} hashes`, [undefined], [{}]],
  ["timestamp", `${snapshot} hashes sha256`, [undefined], ["AB", "abz", "zab", "", 12]],
  ["snapshot", "signed meta targets.json length", [0], [-1]],
  ["snapshot", "signed meta", [], [[]]],
  ["rules", "signed targets * hashes", [], [undefined]],
  ["targets", "signed delegations", [undefined], []],
  ["targets", delegation, [{ ...withoutPaths, path_hash_prefixes: ["00"] }], [withoutPaths]],
  ["targets", `${delegation} path_hash_prefixes`, [undefined], [["00"]]],
  [
    "targets",
    `${delegation} name`,
    ["ü".repeat(40)],
    ["ü".repeat(41), "root", "root/rotation", "", "binary"],
  ],
];

describe("readMetadata", () => {
  for (const [name, place, good, bad] of rows) {
    for (const value of good)
      it(`reads ${name} with ${place}: ${JSON.stringify(value)?.slice(0, 40)}`, () => {
        assert.equal(read(name, place, value).signed._type, typeOf(name));
      });
    for (const value of bad)
      it(`refuses ${name} with ${place}: ${JSON.stringify(value)?.slice(0, 40)}`, () => {
        assert.throws(
          () => read(name, place, value),
          (error: StewardError) => {
            assert.equal(error.code, "update_metadata_malformed");
            assert.ok(
              error.message.startsWith(`The ${typeOf(name)} metadata cannot be used. Expected of `),
              error.message,
            );
            assert.ok(error.cause instanceof StewardError, "it has lost its cause");
            return true;
          },
        );
      });
  }

  it("keeps the file as it came, and members that it does not know in what the signatures are over", () => {
    const bytes = Buffer.from(
      JSON.stringify(spoilt(original("timestamp"), "signed x-unknown", { b: [1, "two"], a: null }), null, 7),
    );
    const metadata = readMetadata("timestamp", bytes, caps);
    assert.equal(metadata.bytes, bytes);
    assert.match(Buffer.from(metadata.signedBytes).toString(), /"x-unknown":\{"a":null,"b":\[1,"two"\]\}/);
  });

  it("says what it found in whose place, and no more of it than a line holds", () => {
    const messageOf = (place: string, value: unknown): string => {
      try {
        read("root", place, value);
      } catch (error) {
        return (error as Error).message.replace(/^.* used\. /, "");
      }
      return assert.fail("it was taken");
    };
    assert.equal(messageOf("signed version", -1), "Expected of version: a number from 1 on, not -1.");
    assert.equal(messageOf("signed version", undefined), "Expected of version: a number from 1 on.");
    assert.ok(messageOf("signed version", "x".repeat(9_000)).length < 120);
    assert.ok(messageOf(`signed keys ${"k".repeat(9_000)}`, 1).length < 250);
  });

  it("does not call a fault of the program one of the metadata", () => {
    assert.throws(() => readMetadata("root", lab.metadata("1.root"), null as never), TypeError);
  });

  it("throws nothing but its own error, whatever one value is put in whatever place", () => {
    const file = original("targets");
    const places: [Spoiled, string][] = [];
    const collect = (value: Spoiled): void => {
      if (typeof value !== "object" || value === null) return;
      for (const key of Object.keys(value)) {
        places.push([value, key]);
        collect(value[key]);
      }
    };
    collect(file);
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 3 }), ([holder, key], value) => {
        const before = holder[key];
        holder[key] = value;
        try {
          readMetadata("targets", Buffer.from(JSON.stringify(file)), caps);
        } catch (error) {
          assert.equal((error as StewardError).code, "update_metadata_malformed", String(error));
        } finally {
          holder[key] = before;
        }
      }),
      runs({ usual: 200, all: 3_000 }),
    );
  });
});
