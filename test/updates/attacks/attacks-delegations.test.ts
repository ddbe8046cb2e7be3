import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recovers, refused, startLab } from "../../../lab/devices/updating-device.ts";
import type { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import type { SigningKey } from "../../../lab/publisher/signing-key.ts";
import { delegateFrom, keyOf } from "./fixture.ts";

describe("a stolen rules key", () => {
  /** A device whose server has the files of a publisher whose rules key signs for this path too. */
  const withTarget = async (test: Parameters<typeof startLab>[0], path: string) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.addTarget("rules", path, Buffer.from("evil"));
    evil.publish("rules");
    lab.server.files = evil.files;
    return { lab, refreshed: await lab.refresh() };
  };

  it("ships no binary: what it signs for under binary/ is not found", async (test) => {
    const path = "stable/binary/demo-9.0.0-linux-x64.tar.gz";
    const { lab, refreshed } = await withTarget(test, path);
    assert.equal(await refreshed.find(path), null);
    const found = await refreshed.list("stable", "binary");
    const expected = ["stable/binary/demo-1.0.0-linux-x64.tar.gz", "binary"];
    const seen = found.map((target) => [target.path, target.role]);
    assert.deepEqual(seen, [expected]);
    await recovers(lab);
  });

  it("does not replace the binary that the binary key has signed", async (test) => {
    const path = "stable/binary/demo-1.0.0-linux-x64.tar.gz";
    const { lab, refreshed } = await withTarget(test, path);
    const { role, file } = (await refreshed.find(path)) ?? {};
    const honest = lab.repository.delegated.binary?.targets[path]?.hashes.sha512;
    assert.deepEqual([role, file?.hashes.sha512], ["binary", honest]);
    await recovers(lab);
  });

  it("cannot delegate a path that it does not have itself", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const { key, signed } = delegateFrom(evil, "rules", [{ name: "thief", paths: ["*/binary/*"] }]);
    evil.keys.thief = [key];
    evil.delegated.thief = { ...signed, version: 0, targets: {} };
    delete evil.delegated.thief.delegations;
    const path = "stable/binary/demo-9.0.0-linux-x64.tar.gz";
    evil.addTarget("thief", path, Buffer.from("evil"));
    evil.publish("rules", "thief");
    lab.server.files = evil.files;
    const refreshed = await lab.refresh();
    assert.equal(await refreshed.find(path), null);
    assert.ok((await refreshed.list("stable", "binary")).every(({ role }) => role === "binary"));
  });

  it("does not pose as another role: binary's file in the place of rules' is refused", async (test) => {
    const lab = await startLab(test, { pinned: false });
    const evil = lab.repository.fork();
    evil.signers.binary = evil.keys.rules ?? [];
    evil.addRelease({ kind: "binary", version: "9.0.0", arch: "x64" });
    evil.publish("binary");
    lab.server.files = evil.files;
    const refreshed = await lab.refresh();
    await refused("update_signature_invalid", refreshed.list("stable", "binary"));
    await recovers(lab);
  });
});

describe("extraneous files", () => {
  const base = "stable/rules/base-1.0.0.tar.gz";
  /** The metadata on the server, the releases that are found, and the attacker's addition. */
  const files: [what: string, found: string[], add: (evil: SignedRepository) => unknown][] = [
    [
      "are not fetched: the client never asks for an unsigned file on the server",
      [base],
      (evil) => {
        evil.files.set("targets/stable/rules/extra-9.0.0.tar.gz", Buffer.from("evil"));
        evil.files.set("metadata/9.extra.json", Buffer.from("{}"));
      },
    ],
    [
      "are not fetched where a snapshot names roles without a delegation",
      [base],
      (evil) => {
        for (let count = 0; count < 2_000; count += 1)
          evil.snapshot.meta[`extra${count}.json`] = { version: 1 };
        evil.publish("rules");
      },
    ],
    [
      "named by a release as what it depends on are not fetched either",
      [base, "stable/rules/base-2.0.0.tar.gz"],
      (evil) => {
        evil.addRelease({ version: "2.0.0", custom: { depends: ["stable/rules/extra-9.0.0.tar.gz"] } });
        evil.publish("rules");
      },
    ],
  ];
  for (const [what, expected, add] of files)
    it(what, async (test) => {
      const lab = await startLab(test);
      const evil = lab.repository.fork();
      add(evil);
      lab.server.files = evil.files;
      const refreshed = await lab.refresh();
      assert.equal(await refreshed.find("stable/rules/extra-9.0.0.tar.gz"), null);
      const found = await refreshed.list("stable", "rules");
      assert.deepEqual(found.map(({ path }) => path).sort(), expected);
      const asked = lab.server.requests.filter(({ path }) => path.includes("extra"));
      assert.deepEqual(asked, [], "an extra file was asked for");
      // A role that a snapshot has named stays there.
      if (Object.keys(evil.snapshot.meta).length < 2_000) await recovers(lab);
    });
});

describe("delegations without end", () => {
  it("stop at the cap on their number", async (test) => {
    const lab = await startLab(test, { isNew: true });
    const { repository } = lab;
    const key = keyOf(repository, "rules");
    repository.targets.delegations = { keys: {}, roles: [] };
    for (let count = 0; count < 40; count += 1) {
      repository.keys[`r${count}`] = [key];
      repository.delegate(`r${count}`, { paths: ["*/rules/*"], terminating: false });
    }
    repository.publish("targets", ...Array.from({ length: 40 }, (_, index) => `r${index}`));
    const refreshed = await lab.refresh();
    const before = lab.server.requests.length;
    await refused("update_limit_exceeded", refreshed.find("stable/rules/base-9.9.9.tar.gz"));
    assert.ok(lab.server.requests.length - before <= 32, "it asked for more than 32 roles");
  });

  it("stop at the cap on their depth", async (test) => {
    const lab = await startLab(test, { isNew: true });
    const { repository } = lab;
    chain(repository, 12, keyOf(repository, "rules"));
    const refreshed = await lab.refresh();
    await refused("update_limit_exceeded", refreshed.find("stable/rules/base-9.9.9.tar.gz"));
  });

  for (const [roles, each] of [
    [6_000, 1],
    [1, 60_000],
  ] as const) {
    it(`of ${roles} roles with ${each} patterns, each for 6000 targets, stop at the cap and do not freeze the client`, async (test) => {
      const lab = await startLab(test);
      const evil = lab.repository.fork();
      const paths = Array.from({ length: each }, (_, index) => `stable/other/${index}`);
      const others = Array.from({ length: roles }, (_, index) => ({ name: `n${index}`, paths }));
      const last = { name: "thief", paths: ["*/rules/*"] };
      const thief = structuredClone(evil.delegated.rules) ?? assert.fail("the lab has no rules");
      const { key, signed } = delegateFrom(evil, "rules", [...others, last]);
      const target = { length: 1, hashes: { sha512: "ab".repeat(64) } };
      const many = Array.from({ length: 6_000 }, (_, index) => [`stable/rules/a${index}`, target]);
      evil.delegated.thief = { ...thief, version: 0, targets: Object.fromEntries(many) };
      evil.keys.thief = [key];
      evil.publish("rules", "thief");
      lab.server.files = evil.files;
      const refreshed = await lab.refresh();
      const before = process.cpuUsage();
      await refused("update_limit_exceeded", refreshed.list("stable", "rules"));
      const { user } = process.cpuUsage(before);
      assert.ok(user < 10_000_000, `it took ${user / 1e6} s of the processor`);
      // The publisher takes them out again; a role that a snapshot has named stays there.
      delete signed.delegations;
      evil.publish("rules");
      assert.equal((await (await lab.refresh()).list("stable", "rules")).length, 1);
    });
  }

  it("that go in a circle come to an end, with nothing found", async (test) => {
    const lab = await startLab(test, { isNew: true });
    delegateFrom(lab.repository, "rules", [{ name: "rules", paths: ["*/rules/*"] }]);
    lab.repository.publish("rules");
    assert.equal(await (await lab.refresh()).find("stable/rules/base-9.9.9.tar.gz"), null);
  });
});

/** targets → d0 → d1 → … */
function chain(repository: SignedRepository, depth: number, key: SigningKey): void {
  const names = Array.from({ length: depth }, (_, index) => `d${index}`);
  const to = (name: string) => ({ name, paths: ["*/rules/*"] });
  for (const name of names) {
    repository.keys[name] = [key];
    repository.delegate(name);
  }
  const roles = [{ ...to("d0"), keyids: [key.id], threshold: 1, terminating: false }];
  repository.targets.delegations = { keys: {}, roles };
  for (const [index, name] of names.slice(1).entries()) delegateFrom(repository, `d${index}`, [to(name)]);
  repository.publish("targets", ...names);
}
