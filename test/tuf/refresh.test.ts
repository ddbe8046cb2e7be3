import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesInMemory, reading, refreshing } from "../../lab/publisher/refreshing.ts";
import type { LabMetaFile } from "../../lab/publisher/signed-forms.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../lab/publisher/signing-key.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { Refreshed } from "../../src/tuf/client.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import type { Repository } from "../../src/tuf/repository.ts";
import type { Session } from "../../src/tuf/session.ts";
import { ed25519Only } from "../../src/tuf/signatures.ts";

const validators = { etag: '"1"', last_modified: null };

/** A device that trusts the first root, with what its last refresh asked for and wrote. */
function startDevice(lab = new SignedRepository()) {
  const asked: { name: string; maximumBytes: number; known?: unknown }[] = [];
  const changes: string[] = [];
  const files = filesInMemory({ root: lab.metadata("1.root") }, (change) => {
    changes.push(change);
    return false;
  });
  const { repository } = reading(lab);
  const recording: Repository = {
    ...repository,
    readMetadata: (name, limits) => {
      asked.push({ name, ...limits });
      return repository.readMetadata(name, limits);
    },
  };
  const go = async (more: Partial<Session> = {}): Promise<Refreshed> => {
    for (const list of [asked, changes]) list.length = 0;
    const usual = { repository: recording, files, caps, verifiers: ed25519Only, start: new Date() };
    return refresh({ ...usual, ...more });
  };
  const names = () => asked.map(({ name }) => name);
  return { lab, files, repository, asked, names, changes, go };
}

const code = (name: string) => ({ name: "StewardError", code: name });

describe("a refresh", () => {
  it("asks for each file by no more bytes than are signed, and for the others by the caps (TUF 5.3.3 to 5.6.1)", async () => {
    const lengths = async (lab: SignedRepository) => {
      const { go, asked } = startDevice(lab);
      await (await go()).list("stable", "rules");
      return Object.fromEntries(asked.map(({ name, ...limits }) => [name, limits]));
    };
    const lab = new SignedRepository();
    const bytesOf = (name: string) => ({ maximumBytes: lab.metadata(name).length });
    const fixed = { "2.root.json": { maximumBytes: 512_000 }, "timestamp.json": { maximumBytes: 16_384 } };
    assert.deepEqual(await lengths(lab), {
      ...fixed,
      "1.snapshot.json": bytesOf("1.snapshot"),
      "1.targets.json": bytesOf("1.targets"),
      "1.rules.json": bytesOf("1.rules"),
    });
    assert.deepEqual(await lengths(new SignedRepository({ pinned: false })), {
      ...fixed,
      "1.snapshot.json": { maximumBytes: 2_000_000 },
      "1.targets.json": { maximumBytes: 5_000_000 },
      "1.rules.json": { maximumBytes: 5_000_000 },
    });
  });

  /** The next timestamp says something else of the snapshot. */
  function listing({ lab }: ReturnType<typeof startDevice>, change: Partial<LabMetaFile>): void {
    lab.tampering.beforeSigning = (_role, signed) => {
      if (signed._type === "timestamp") Object.assign(signed.meta["snapshot.json"] ?? {}, change);
      return signed;
    };
    lab.publishTimestamp();
  }

  it("asks for no more than the cap, whatever length is signed", async () => {
    const device = startDevice();
    listing(device, { length: 2_000_001 });
    await assert.rejects(device.go(), code("update_metadata_mismatch"));
    assert.deepEqual(device.asked.at(-1), { name: "1.snapshot.json", maximumBytes: 2_000_000 });
  });

  it("asks without version numbers where the root names no consistent snapshots (TUF 6.2)", async () => {
    const { lab, files, go, names } = startDevice();
    lab.publishRoot((root) => {
      root.consistent_snapshot = false;
    });
    files.contents.root = lab.metadata("2.root");
    for (const role of ["snapshot", "targets", "rules"]) {
      lab.files.set(`metadata/${role}.json`, lab.metadata(`1.${role}`));
      lab.files.delete(`metadata/1.${role}.json`);
    }
    await (await go()).list("stable", "rules");
    const expected = ["3.root.json", "timestamp.json", "snapshot.json", "targets.json", "rules.json"];
    assert.deepEqual(names(), expected);
  });

  it("fetches and writes nothing again that it has", async () => {
    const { go, names, changes } = startDevice();
    await (await go()).list("stable", "rules");
    assert.deepEqual(changes, ["write timestamp", "write snapshot", "write targets", "write rules"]);
    const { timestamp, rotations } = await go();
    assert.deepEqual([timestamp.version, rotations], [1, 0]);
    assert.deepEqual([names(), changes], [["2.root.json", "timestamp.json"], []]);
  });

  it("keeps the timestamp that it has where another comes under its version (TUF 5.4.3.1)", async () => {
    const { lab, files, go, names, changes } = startDevice();
    await go();
    const [first] = [files.contents.timestamp];
    const other = lab.fork();
    lab.timestamp.version = 0;
    lab.timestamp.expires = "2039-01-01T00:00:00Z";
    lab.publishTimestamp();
    assert.notDeepEqual(lab.metadata("timestamp"), other.metadata("timestamp"));
    assert.notEqual((await go()).timestamp.expires, "2039-01-01T00:00:00Z");
    assert.deepEqual([names().length, changes, files.contents.timestamp], [2, [], first]);
  });

  for (const role of ["timestamp", "snapshot", "targets"]) {
    it(`fetches a kept ${role} anew that has rotted`, async () => {
      const { lab, files, go } = startDevice();
      await go();
      files.contents[role] = Buffer.from("rot");
      await go({ known: validators });
      const name = role === "timestamp" ? role : `1.${role}`;
      assert.deepEqual(files.contents[role], lab.metadata(name));
    });
  }

  it("refuses a snapshot that names no targets, and a delegation that it does not name", async () => {
    const { lab, go } = startDevice();
    delete lab.snapshot.meta["rules.json"];
    lab.publishSnapshot();
    await assert.rejects((await go()).list("stable", "rules"), code("update_metadata_mismatch"));
    const other = startDevice();
    delete other.lab.snapshot.meta["targets.json"];
    other.lab.publishSnapshot();
    await assert.rejects(other.go(), code("update_metadata_mismatch"));
  });

  it("tells which role goes back by the name that the publisher knows", async () => {
    const { lab, go } = startDevice();
    lab.delegate("a.json-b", { paths: ["*/a/*"] });
    lab.publish("targets", "a.json-b");
    await go();
    delete lab.snapshot.meta["a.json-b.json"];
    lab.publishSnapshot();
    await assert.rejects(go(), { ...code("update_rollback_refused"), message: /the role a\.json-b, and/ });
  });

  for (const [algorithm, bytes] of Object.entries({ sha256: 32, sha512: 64 }))
    it(`goes by a ${algorithm} alone, and shows no more than its beginning where it differs`, async () => {
      const device = startDevice();
      listing(device, { hashes: { [algorithm]: "ab".repeat(bytes) } });
      await assert.rejects(device.go(), {
        ...code("update_metadata_mismatch"),
        message: new RegExp(`has the ${algorithm} [0-9a-f]{16}… instead of (ab){8}…\\. `),
      });
    });

  it("does not call a fault of the program one of the kept files", async () => {
    const { lab, go } = startDevice();
    await go();
    const [own] = lab.keys.timestamp ?? [];
    let times = 0;
    const verifiers = {
      "ed25519/ed25519": ({ keyval }: { keyval: { public: string } }) => {
        // It fails only once: all is well with the file that is fetched in the place of the kept one.
        if (keyval.public === own?.object.keyval.public && times++ === 0) throw new RangeError("a fault");
        return true;
      },
    };
    await assert.rejects(go({ verifiers }), RangeError);
  });
});

describe("whether the timestamp is unchanged", () => {
  it("is asked by what it came with, and told back", async () => {
    const { asked, names, go } = startDevice();
    const first = await go({ known: validators });
    assert.ok(!asked.some((one) => "known" in one), "there is nothing that it could be compared with");
    assert.ok(first.validators?.etag, "the repository gave an ETag");
    const second = await go({ known: first.validators });
    assert.deepEqual(asked.at(-1), {
      ...{ name: "timestamp.json", maximumBytes: 16_384, known: first.validators },
    });
    assert.deepEqual(second.validators, first.validators);
    assert.deepEqual(second.timestamp, first.timestamp);
    assert.equal(names().length, 2);
  });

  const lies: [name: string, outcome: string | null][] = [
    ["timestamp.json", "update_server_refused"],
    // The chain of roots ends there, as where there is no further one.
    ["2.root.json", null],
    ["1.snapshot.json", "update_file_missing"],
    ["1.targets.json", "update_file_missing"],
  ];
  for (const [name, outcome] of lies)
    it(`is no answer for ${name} where it was not asked`, async () => {
      const { repository, go } = startDevice();
      const lying = async (asked: string, limits: { maximumBytes: number }) =>
        asked === name ? "unchanged" : repository.readMetadata(asked, limits);
      const done = go({ repository: { ...repository, readMetadata: lying } as Repository });
      if (outcome === null) assert.equal((await done).root.version, 1);
      else await assert.rejects(done, code(outcome));
    });
});

it("no refresh begins without a root that is trusted", () =>
  assert.rejects(refreshing(new SignedRepository(), filesInMemory()), code("update_trust_not_established")));

describe("when the keys of snapshot are rotated after a fast-forward attack", () => {
  /** A device that has seen version 1000 of targets, and a repository that has taken the key away and begun again. */
  async function recovered() {
    const lab = new SignedRepository();
    lab.targets.version = 999;
    lab.publish("targets");
    const contents: Record<string, Uint8Array> = { root: lab.metadata("1.root") };
    await refreshing(lab, filesInMemory(contents));
    lab.targets.version = 1;
    lab.keys.snapshot = [createSigningKey()];
    lab.publishRoot();
    lab.publish("targets");
    const killedAt = (point: string) =>
      assert.rejects(
        refreshing(
          lab,
          filesInMemory(contents, (change) => change === point),
        ),
        /killed/,
      );
    return { lab, contents, killedAt };
  }

  const points = [
    "write root",
    "remove snapshot",
    "remove timestamp",
    "remove root/rotation",
    "write timestamp",
  ];
  for (const point of points)
    it(`does so although the first try is killed at "${point}"`, async () => {
      const { lab, contents, killedAt } = await recovered();
      await killedAt(point);
      const { snapshot } = await refreshing(lab, filesInMemory(contents));
      assert.equal(snapshot.meta["targets.json"]?.version, 2);
      assert.equal(contents["root/rotation"], undefined);
    });

  it("forgets nothing where the server then withholds the new root", async () => {
    const { lab, contents, killedAt } = await recovered();
    const before = { ...contents };
    await killedAt("write root");
    lab.files.delete("metadata/2.root.json");
    await assert.rejects(refreshing(lab, filesInMemory(contents)), code("update_signature_invalid"));
    assert.deepEqual(contents.snapshot, before.snapshot);
  });
});
