import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { RoleType } from "../../src/tuf/metadata.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";

const lab = new SignedRepository();
lab.addRelease();
lab.publish("rules");
const originals: Record<string, string> = {
  root: lab.metadata("1.root").toString(),
  timestamp: lab.metadata("timestamp").toString(),
  snapshot: lab.metadata("2.snapshot").toString(),
  targets: lab.metadata("1.targets").toString(),
  rules: lab.metadata("2.rules").toString(),
};

type Open = Record<string, never>;
// biome-ignore lint/suspicious/noExplicitAny: metadata that are to be spoilt in any place
type Spoiled = any;

/** The file with one thing changed. */
function spoiled(name: string, spoil: (file: Spoiled) => void): Buffer {
  const file = JSON.parse(originals[name] ?? "") as Open;
  spoil(file);
  return Buffer.from(JSON.stringify(file));
}

function signBy(file: Spoiled, count: number): void {
  file.signatures = Array.from({ length: count }, (_, index) => ({ keyid: `${index}`, sig: "" }));
}

function typeOf(name: string): RoleType {
  return name === "rules" ? "targets" : (name as RoleType);
}

describe("readMetadata", () => {
  for (const name of Object.keys(originals)) {
    it(`reads ${name}, and keeps the file as it came`, () => {
      const bytes = Buffer.from(originals[name] ?? "");
      const read = readMetadata(typeOf(name), bytes, caps);
      assert.equal(read.signed._type, typeOf(name));
      assert.equal(read.bytes, bytes);
    });
  }

  it("keeps members that it does not know in what the signatures are over", () => {
    const bytes = spoiled("timestamp", (file) => {
      file.signed["x-unknown"] = { b: [1, "two"], a: null };
    });
    const { signedBytes } = readMetadata("timestamp", bytes, caps);
    assert.match(Buffer.from(signedBytes).toString(), /"x-unknown":\{"a":null,"b":\[1,"two"\]\}/);
  });

  const good: [string, string, (file: Spoiled) => void][] = [
    ["as many signatures as are allowed", "root", (file) => signBy(file, 64)],
    [
      "the first version of the format",
      "root",
      (file) => Object.assign(file.signed, { spec_version: "1.0" }),
    ],
    ["a later minor version", "root", (file) => Object.assign(file.signed, { spec_version: "1.31.0" })],
    ["no consistent_snapshot", "root", (file) => delete file.signed.consistent_snapshot],
    ["no length", "timestamp", (file) => delete file.signed.meta["snapshot.json"].length],
    ["no hashes", "timestamp", (file) => delete file.signed.meta["snapshot.json"].hashes],
    ["no delegations", "targets", (file) => delete file.signed.delegations],
    [
      "a delegation by prefixes of hashes",
      "targets",
      (file) => {
        delete file.signed.delegations.roles[0].paths;
        file.signed.delegations.roles[0].path_hash_prefixes = ["00"];
      },
    ],
    [
      "a delegation whose name has 80 bytes",
      "targets",
      (file) => {
        file.signed.delegations.roles[0].name = "ü".repeat(40);
      },
    ],
  ];
  for (const [what, name, change] of good) {
    it(`reads ${name} with ${what}`, () => {
      assert.equal(readMetadata(typeOf(name), spoiled(name, change), caps).signed._type, typeOf(name));
    });
  }

  const bad: [string, string, (file: Spoiled) => void][] = [
    [
      "a day that no calendar has",
      "timestamp",
      (file) => Object.assign(file.signed, { expires: "2099-02-30T00:00:00Z" }),
    ],
    ["the hour 24", "targets", (file) => Object.assign(file.signed, { expires: "2099-01-01T24:00:00Z" })],
    [
      "more than the snapshot in a timestamp",
      "timestamp",
      (file) => Object.assign(file.signed.meta, { "targets.json": { version: 1 } }),
    ],
    ["another role", "timestamp", (file) => Object.assign(file.signed, { _type: "snapshot" })],
    [
      "another major version of TUF",
      "timestamp",
      (file) => Object.assign(file.signed, { spec_version: "2.0.0" }),
    ],
    [
      "a major version of two digits",
      "timestamp",
      (file) => Object.assign(file.signed, { spec_version: "21.0.34" }),
    ],
    [
      "more behind the version of TUF",
      "timestamp",
      (file) => Object.assign(file.signed, { spec_version: "1.0.34-draft" }),
    ],
    ["no version", "root", (file) => delete file.signed.version],
    ["version 0", "root", (file) => Object.assign(file.signed, { version: 0 })],
    ["a negative version", "root", (file) => Object.assign(file.signed, { version: -1 })],
    ["a version in words", "root", (file) => Object.assign(file.signed, { version: "1" })],
    [
      "an expiry in local time",
      "root",
      (file) => Object.assign(file.signed, { expires: "2027-01-01T00:00:00" }),
    ],
    [
      "an expiry that is no day",
      "root",
      (file) => Object.assign(file.signed, { expires: "2027-13-41T00:00:00Z" }),
    ],
    [
      "an expiry beyond what a Date holds",
      "root",
      (file) => Object.assign(file.signed, { expires: "+275760-09-14T00:00:00Z" }),
    ],
    [
      "an expiry in a year of six digits",
      "root",
      (file) => Object.assign(file.signed, { expires: "+012099-01-01T00:00:00Z" }),
    ],
    [
      "an expiry with milliseconds",
      "root",
      (file) => Object.assign(file.signed, { expires: "2099-01-01T00:00:00.000Z" }),
    ],
    [
      "an expiry by an offset",
      "root",
      (file) => Object.assign(file.signed, { expires: "2099-01-01T00:00+00" }),
    ],
    ["no signatures", "root", (file) => delete file.signatures],
    ["signatures that are an object", "root", (file) => Object.assign(file, { signatures: {} })],
    ["a signature without a key's id", "root", (file) => delete file.signatures[0].keyid],
    ["two signatures of one id", "root", (file) => file.signatures.push(file.signatures[0])],
    ["too many signatures", "root", (file) => signBy(file, 65)],
    [
      "a word for consistent_snapshot",
      "root",
      (file) => Object.assign(file.signed, { consistent_snapshot: "yes" }),
    ],
    ["no role timestamp", "root", (file) => delete file.signed.roles.timestamp],
    ["threshold 0", "root", (file) => Object.assign(file.signed.roles.root, { threshold: 0 })],
    [
      "one key id twice in a role",
      "root",
      (file) => file.signed.roles.root.keyids.push(file.signed.roles.root.keyids[0]),
    ],
    [
      "a key without its public part",
      "root",
      (file) => {
        for (const key of Object.values(file.signed.keys) as Spoiled[]) delete key.keyval.public;
      },
    ],
    ["no snapshot", "timestamp", (file) => delete file.signed.meta["snapshot.json"]],
    [
      "a snapshot of version 0",
      "timestamp",
      (file) => Object.assign(file.signed.meta["snapshot.json"], { version: 0 }),
    ],
    [
      "hashes that are empty",
      "timestamp",
      (file) => Object.assign(file.signed.meta["snapshot.json"], { hashes: {} }),
    ],
    ...["AB", "abz", "zab", "", 12].map((sha256): [string, string, (file: Spoiled) => void] => [
      `the hash ${JSON.stringify(sha256)} beside a good one`,
      "timestamp",
      (file) => Object.assign(file.signed.meta["snapshot.json"].hashes, { sha256 }),
    ]),
    [
      "a negative length",
      "snapshot",
      (file) => Object.assign(file.signed.meta["targets.json"], { length: -1 }),
    ],
    ["a list for an object", "snapshot", (file) => Object.assign(file.signed, { meta: [] })],
    [
      "a target without hashes",
      "rules",
      (file) => {
        for (const target of Object.values(file.signed.targets) as Spoiled[]) delete target.hashes;
      },
    ],
    [
      "a delegation with neither paths nor prefixes",
      "targets",
      (file) => delete file.signed.delegations.roles[0].paths,
    ],
    [
      "a delegation with both",
      "targets",
      (file) => {
        file.signed.delegations.roles[0].path_hash_prefixes = ["00"];
      },
    ],
    [
      "a delegation that is called root",
      "targets",
      (file) => {
        file.signed.delegations.roles[0].name = "root";
      },
    ],
    [
      "a delegation without a name",
      "targets",
      (file) => {
        file.signed.delegations.roles[0].name = "";
      },
    ],
    [
      "a delegation whose name is no file's",
      "targets",
      (file) => {
        file.signed.delegations.roles[0].name = "ü".repeat(41);
      },
    ],
    [
      "two delegations of one name",
      "targets",
      (file) => {
        file.signed.delegations.roles[1].name = file.signed.delegations.roles[0].name;
      },
    ],
  ];
  for (const [what, name, spoil] of bad) {
    it(`refuses ${name} with ${what}`, () => {
      assert.throws(
        () => readMetadata(typeOf(name), spoiled(name, spoil), caps),
        (error: StewardError) => {
          assert.equal(error.code, "update_metadata_malformed");
          assert.match(
            error.message,
            new RegExp(`^The ${typeOf(name)} metadata cannot be used\\. Expected of `),
          );
          assert.ok(error.cause instanceof StewardError, "it has lost its cause");
          return true;
        },
      );
    });
  }

  it("says what it found in whose place, and no more of it than a line holds", () => {
    const messageOf = (spoil: (file: Spoiled) => void): string => {
      try {
        readMetadata("root", spoiled("root", spoil), caps);
      } catch (error) {
        return (error as Error).message;
      }
      return assert.fail("it was taken");
    };
    const endsWith = (version: unknown): string =>
      messageOf((file) => Object.assign(file.signed, { version })).replace(/^.* used\. /, "");
    assert.equal(endsWith(-1), "Expected of version: a number from 1 on, not -1.");
    assert.equal(endsWith(undefined), "Expected of version: a number from 1 on.");
    assert.equal(endsWith("x".repeat(9_000)).length, endsWith("x".repeat(60)).length);
    const long = messageOf((file) => Object.assign(file.signed.keys, { ["k".repeat(9_000)]: 1 }));
    assert.ok(long.length < 300, long);
  });

  it("does not call a fault of the program one of the metadata", () => {
    assert.throws(
      () =>
        readMetadata(
          "root",
          spoiled("root", () => undefined),
          null as never,
        ),
      TypeError,
    );
  });

  it("throws nothing but its own error, whatever one value is put in whatever place", () => {
    const file = JSON.parse(originals.targets ?? "");
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
