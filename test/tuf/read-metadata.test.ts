import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { spoilt } from "../../lab/publisher/spoilt.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { RoleType } from "../../src/tuf/metadata.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";

const lab = new SignedRepository();
lab.addRelease();
lab.publish("rules");
const originals = {
  root: lab.metadata("1.root").toString(),
  timestamp: lab.metadata("timestamp").toString(),
  snapshot: lab.metadata("2.snapshot").toString(),
  targets: lab.metadata("1.targets").toString(),
  rules: lab.metadata("2.rules").toString(),
};
type Name = keyof typeof originals;

// biome-ignore lint/suspicious/noExplicitAny: metadata that are to be spoilt in any place
type Spoiled = any;

const spoiled = (name: Name, place: string, value: unknown): Buffer =>
  Buffer.from(JSON.stringify(spoilt(JSON.parse(originals[name]), place, value)));

const signatures = (count: number) => Array.from({ length: count }, (_, at) => ({ keyid: `${at}`, sig: "" }));
const [rootKey] = (JSON.parse(originals.root) as Spoiled).signed.roles.root.keyids;
const typeOf = (name: Name): RoleType => (name === "rules" ? "targets" : name);

type Row = [what: string, name: Name, place: string, value?: unknown];
const [snapshotFile, delegation] = ["signed meta snapshot.json", "signed delegations roles 0"];

const good: Row[] = [
  ["as many signatures as are allowed", "root", "signatures", signatures(64)],
  ["the first version of the format", "root", "signed spec_version", "1.0"],
  ["a later minor version", "root", "signed spec_version", "1.31.0"],
  ["no consistent_snapshot", "root", "signed consistent_snapshot"],
  ["no length", "timestamp", `${snapshotFile} length`],
  ["no hashes", "timestamp", `${snapshotFile} hashes`],
  ["no delegations", "targets", "signed delegations"],
  ["a delegation whose name has 80 bytes", "targets", `${delegation} name`, "ü".repeat(40)],
];

const bad: Row[] = [
  ["a day that no calendar has", "timestamp", "signed expires", "2099-02-30T00:00:00Z"],
  ["the hour 24", "targets", "signed expires", "2099-01-01T24:00:00Z"],
  ["an expiry in local time", "root", "signed expires", "2027-01-01T00:00:00"],
  ["an expiry that is no day", "root", "signed expires", "2027-13-41T00:00:00Z"],
  ["an expiry beyond what a Date holds", "root", "signed expires", "+275760-09-14T00:00:00Z"],
  ["an expiry in a year of six digits", "root", "signed expires", "+012099-01-01T00:00:00Z"],
  ["an expiry with milliseconds", "root", "signed expires", "2099-01-01T00:00:00.000Z"],
  ["an expiry by an offset", "root", "signed expires", "2099-01-01T00:00+00"],
  ["more than the snapshot", "timestamp", "signed meta targets.json", { version: 1 }],
  ["another role", "timestamp", "signed _type", "snapshot"],
  ["another major version of TUF", "timestamp", "signed spec_version", "2.0.0"],
  ["a major version of two digits", "timestamp", "signed spec_version", "21.0.34"],
  ["more behind the version of TUF", "timestamp", "signed spec_version", "1.0.34-draft"],
  ["no version", "root", "signed version"],
  ["version 0", "root", "signed version", 0],
  ["a negative version", "root", "signed version", -1],
  ["a version in words", "root", "signed version", "1"],
  ["no signatures", "root", "signatures"],
  ["signatures that are an object", "root", "signatures", {}],
  ["a signature without a key's id", "root", "signatures 0 keyid"],
  ["two signatures of one id", "root", "signatures", [...signatures(1), ...signatures(1)]],
  ["too many signatures", "root", "signatures", signatures(65)],
  ["a word for consistent_snapshot", "root", "signed consistent_snapshot", "yes"],
  ["no role timestamp", "root", "signed roles timestamp"],
  ["threshold 0", "root", "signed roles root threshold", 0],
  ["one key id twice in a role", "root", "signed roles root keyids", [rootKey, rootKey]],
  ["a key without its public part", "root", "signed keys * keyval public"],
  ["no snapshot", "timestamp", snapshotFile],
  ["a snapshot of version 0", "timestamp", `${snapshotFile} version`, 0],
  ["hashes that are empty", "timestamp", `${snapshotFile} hashes`, {}],
  ...["AB", "abz", "zab", "", 12].map((sha256): Row => {
    const what = `the hash ${JSON.stringify(sha256)} beside a good one`;
    return [what, "timestamp", `${snapshotFile} hashes sha256`, sha256];
  }),
  ["a negative length", "snapshot", "signed meta targets.json length", -1],
  ["a list for an object", "snapshot", "signed meta", []],
  ["a target without hashes", "rules", "signed targets * hashes"],
  ["a delegation with neither paths nor prefixes", "targets", `${delegation} paths`],
  ["a delegation with both", "targets", `${delegation} path_hash_prefixes`, ["00"]],
  ["a delegation that is called root", "targets", `${delegation} name`, "root"],
  ["a delegation without a name", "targets", `${delegation} name`, ""],
  ["a delegation whose name is no file's", "targets", `${delegation} name`, "ü".repeat(41)],
  ["two delegations of one name", "targets", "signed delegations roles 1 name", "rules"],
];

describe("readMetadata", () => {
  for (const name of Object.keys(originals) as Name[])
    it(`reads ${name}, and keeps the file as it came`, () => {
      const bytes = Buffer.from(originals[name]);
      const read = readMetadata(typeOf(name), bytes, caps);
      assert.deepEqual([read.signed._type, read.bytes], [typeOf(name), bytes]);
    });

  it("keeps members that it does not know in what the signatures are over", () => {
    const bytes = spoiled("timestamp", "signed x-unknown", { b: [1, "two"], a: null });
    const { signedBytes } = readMetadata("timestamp", bytes, caps);
    assert.match(Buffer.from(signedBytes).toString(), /"x-unknown":\{"a":null,"b":\[1,"two"\]\}/);
  });

  for (const [what, name, place, value] of good)
    it(`reads ${name} with ${what}`, () => {
      assert.equal(readMetadata(typeOf(name), spoiled(name, place, value), caps).signed._type, typeOf(name));
    });

  it("reads a delegation by prefixes of hashes", () => {
    const { paths: _, ...role } = (JSON.parse(originals.targets) as Spoiled).signed.delegations.roles[0];
    const bytes = spoiled("targets", delegation, { ...role, path_hash_prefixes: ["00"] });
    assert.equal(readMetadata("targets", bytes, caps).signed._type, "targets");
  });

  for (const [what, name, place, value] of bad)
    it(`refuses ${name} with ${what}`, () => {
      const message = new RegExp(`^The ${typeOf(name)} metadata cannot be used\\. Expected of `);
      assert.throws(
        () => readMetadata(typeOf(name), spoiled(name, place, value), caps),
        (error: StewardError) => {
          assert.equal(error.code, "update_metadata_malformed");
          assert.match(error.message, message);
          assert.ok(error.cause instanceof StewardError, "it has lost its cause");
          return true;
        },
      );
    });

  it("says what it found in whose place, and no more of it than a line holds", () => {
    const messageOf = (place: string, value: unknown): string => {
      try {
        readMetadata("root", spoiled("root", place, value), caps);
      } catch (error) {
        return (error as Error).message;
      }
      return assert.fail("it was taken");
    };
    const endsWith = (version: unknown): string =>
      messageOf("signed version", version).replace(/^.* used\. /, "");
    assert.equal(endsWith(-1), "Expected of version: a number from 1 on, not -1.");
    assert.equal(endsWith(undefined), "Expected of version: a number from 1 on.");
    assert.equal(endsWith("x".repeat(9_000)).length, endsWith("x".repeat(60)).length);
    const long = messageOf(`signed keys ${"k".repeat(9_000)}`, 1);
    assert.ok(long.length < 300, long);
  });

  it("does not call a fault of the program one of the metadata", () => {
    assert.throws(() => readMetadata("root", Buffer.from(originals.root), null as never), TypeError);
  });

  it("throws nothing but its own error, whatever one value is put in whatever place", () => {
    const file = JSON.parse(originals.targets);
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
      fc.property(fc.nat(places.length - 1), fc.jsonValue({ maxDepth: 3 }), (index, value) => {
        const [holder, key] = places[index] ?? [file, "signed"];
        const before = holder[key];
        holder[key] = value;
        try {
          readMetadata("targets", Buffer.from(JSON.stringify(file)), caps);
        } catch (error) {
          assert.ok(error instanceof StewardError, String(error));
          assert.equal(error.code, "update_metadata_malformed");
        } finally {
          holder[key] = before;
        }
      }),
      runs({ usual: 200, all: 3_000 }),
    );
  });
});
