import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesInMemory, reading, refreshing } from "../../lab/publisher/refreshing.ts";
import type { LabMetaFile } from "../../lab/publisher/signed-forms.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../lab/publisher/signing-key.ts";
import { caps } from "../../src/tuf/caps.ts";
import { refresh } from "../../src/tuf/refresh.ts";
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
  const unchanged = new Set<string>();
  const { repository } = reading(lab);
  const recording: Session["repository"] = {
    ...repository,
    readMetadata: async (name, limits) => {
      asked.push({ name, ...limits });
      return unchanged.has(name) ? "unchanged" : repository.readMetadata(name, limits);
    },
  };
  const go = async (more: Partial<Session> = {}) => {
    for (const list of [asked, changes]) list.length = 0;
    const usual = { repository: recording, files, caps, verifiers: ed25519Only, start: new Date() };
    return refresh({ ...usual, ...more });
  };
  return { lab, files, unchanged, asked, names: () => asked.map(({ name }) => name), changes, go };
}

const code = (name: string) => ({ name: "StewardError", code: name });

describe("a refresh", () => {
  it("asks for each file by no more bytes than are signed, and for the others by the caps (TUF 5.3.3 to 5.6.1)", async () => {
    for (const pinned of [true, false]) {
      const { lab, go, asked } = startDevice(new SignedRepository({ pinned }));
      await (await go()).list("stable", "rules");
      const bytesOf = (name: string) => lab.metadata(name).length;
      assert.deepEqual(Object.fromEntries(asked.map(({ name, ...limits }) => [name, limits])), {
        "2.root.json": { maximumBytes: 512_000 },
        "timestamp.json": { maximumBytes: 16_384 },
        "1.snapshot.json": { maximumBytes: pinned ? bytesOf("1.snapshot") : 2_000_000 },
        "1.targets.json": { maximumBytes: pinned ? bytesOf("1.targets") : 5_000_000 },
        "1.rules.json": { maximumBytes: pinned ? bytesOf("1.rules") : 5_000_000 },
      });
    }
  });

  /** The next timestamp says this of the snapshot, which is not taken for that reason. */
  const lies: [what: string, change: Partial<LabMetaFile>, message: RegExp][] = [
    ["a length beyond the cap, which it does not ask for", { length: 2_000_001 }, /instead of 2000001/],
    ...Object.entries({ sha256: 32, sha512: 64 }).map(([algorithm, bytes]): (typeof lies)[number] => [
      `another ${algorithm} than the file's, of which it shows the beginning`,
      { hashes: { [algorithm]: "ab".repeat(bytes) } },
      new RegExp(`has the ${algorithm} [0-9a-f]{16}… instead of (ab){8}…\\. `),
    ]),
  ];
  for (const [what, change, message] of lies)
    it(`refuses ${what}`, async () => {
      const { lab, go, asked } = startDevice();
      lab.tampering.beforeSigning = (_role, signed) => {
        if (signed._type === "timestamp") Object.assign(signed.meta["snapshot.json"] ?? {}, change);
        return signed;
      };
      lab.publishTimestamp();
      await assert.rejects(go(), { ...code("update_metadata_mismatch"), message });
      const { name, maximumBytes = 0 } = asked.at(-1) ?? {};
      assert.deepEqual([name, maximumBytes <= 2_000_000], ["1.snapshot.json", true]);
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

  it("fetches and writes nothing again that it has, but what has rotted", async () => {
    const { lab, files, go, names, changes } = startDevice();
    await (await go()).list("stable", "rules");
    assert.deepEqual(changes, ["write timestamp", "write snapshot", "write targets", "write rules"]);
    const { timestamp, rotations } = await go();
    assert.deepEqual([timestamp.version, rotations], [1, 0]);
    assert.deepEqual([names(), changes], [["2.root.json", "timestamp.json"], []]);
    for (const [role, name] of Object.entries({
      timestamp: "timestamp",
      snapshot: "1.snapshot",
      targets: "1.targets",
    })) {
      files.contents[role] = Buffer.from("rot");
      await go({ known: validators });
      assert.deepEqual([files.contents[role], changes], [lab.metadata(name), [`write ${role}`]]);
    }
  });

  it("keeps the timestamp that it has where another comes under its version (TUF 5.4.3.1)", async () => {
    const { lab, files, go, changes } = startDevice();
    const { timestamp } = await go();
    const first = files.contents.timestamp;
    lab.timestamp.version = 0;
    lab.timestamp.expires = "2039-01-01T00:00:00Z";
    lab.publishTimestamp();
    assert.deepEqual((await go()).timestamp, timestamp);
    assert.deepEqual([changes, files.contents.timestamp], [[], first]);
  });

  it("refuses a snapshot that names no targets, and a delegation that it does not name", async () => {
    for (const role of ["rules", "targets"]) {
      const { lab, go } = startDevice();
      delete lab.snapshot.meta[`${role}.json`];
      lab.publishSnapshot();
      const listing = go().then((refreshed) => refreshed.list("stable", "rules"));
      await assert.rejects(listing, code("update_metadata_mismatch"), role);
    }
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

  it("does not call a fault of the program one of the kept files", async () => {
    const { lab, go } = startDevice();
    await go();
    const own = lab.keys.timestamp?.[0]?.object.keyval.public;
    let times = 0;
    const verifiers: Session["verifiers"] = {
      "ed25519/ed25519": ({ keyval }) => {
        // It fails only once: all is well with the file that is fetched in the place of the kept one.
        if (keyval.public === own && times++ === 0) throw new RangeError("a fault");
        return true;
      },
    };
    await assert.rejects(go({ verifiers }), RangeError);
  });

  it("asks if the timestamp is unchanged by what it came with, and tells that back", async () => {
    const { asked, go } = startDevice();
    const first = await go({ known: validators });
    assert.ok(!asked.some((one) => "known" in one), "there is nothing that it could be compared with");
    const known = first.validators;
    assert.ok(known?.etag, "the repository gave an ETag");
    const second = await go({ known });
    assert.deepEqual(asked.slice(1), [{ name: "timestamp.json", maximumBytes: 16_384, known }]);
    assert.deepEqual([second.validators, second.timestamp], [known, first.timestamp]);
  });

  it("takes no file for unchanged where it was not asked, and the chain of roots for at its end", async () => {
    for (const [name, error] of [
      ["timestamp.json", "update_server_refused"],
      ["1.snapshot.json", "update_file_missing"],
      ["1.targets.json", "update_file_missing"],
    ] as const) {
      const { unchanged, go } = startDevice();
      unchanged.add(name);
      await assert.rejects(go(), code(error), name);
    }
    const { unchanged, go } = startDevice();
    unchanged.add("2.root.json");
    assert.equal((await go()).root.version, 1);
  });

  it("does not begin without a root that is trusted", () =>
    assert.rejects(
      refreshing(new SignedRepository(), filesInMemory()),
      code("update_trust_not_established"),
    ));
});

describe("when the keys of snapshot are rotated after a fast-forward attack", () => {
  /** A device that has seen version 1000 of targets, and a repository that has taken the key away and begun again. */
  async function recovered(point: string) {
    const lab = new SignedRepository();
    lab.targets.version = 999;
    lab.publish("targets");
    const contents: Record<string, Uint8Array> = { root: lab.metadata("1.root") };
    await refreshing(lab, filesInMemory(contents));
    const { snapshot } = contents;
    lab.targets.version = 1;
    lab.keys.snapshot = [createSigningKey()];
    lab.publishRoot();
    lab.publish("targets");
    const killed = refreshing(
      lab,
      filesInMemory(contents, (change) => change === point),
    );
    await assert.rejects(killed, /killed/);
    return { lab, contents, snapshot };
  }

  for (const point of [
    "write root",
    "remove snapshot",
    "remove timestamp",
    "remove root/rotation",
    "write timestamp",
  ])
    it(`goes back although the first try is killed at "${point}"`, async () => {
      const { lab, contents } = await recovered(point);
      const { snapshot } = await refreshing(lab, filesInMemory(contents));
      assert.deepEqual([snapshot.meta["targets.json"]?.version, contents["root/rotation"]], [2, undefined]);
    });

  it("forgets nothing where the server then withholds the new root", async () => {
    const { lab, contents, snapshot } = await recovered("write root");
    lab.files.delete("metadata/2.root.json");
    await assert.rejects(refreshing(lab, filesInMemory(contents)), code("update_signature_invalid"));
    assert.deepEqual(contents.snapshot, snapshot);
  });
});
