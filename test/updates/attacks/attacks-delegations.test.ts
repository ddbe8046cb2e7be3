import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recovers, refused, startLab } from "../../../lab/devices/updating-device.ts";

describe("a stolen rules key", () => {
  it("ships no binary: what it signs for under binary/ is not found", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const { path } = evil.addTarget(
      "rules",
      "stable/binary/demo-9.0.0-linux-x64.tar.gz",
      Buffer.from("evil"),
    );
    evil.publish("rules");
    lab.server.files = evil.files;
    const refreshed = await lab.refresh();
    assert.equal(await refreshed.find(path), null);
    const found = await refreshed.list("stable", "binary");
    assert.deepEqual(
      found.map((target) => [target.path, target.role]),
      [["stable/binary/demo-1.0.0-linux-x64.tar.gz", "binary"]],
    );
    await recovers(lab);
  });

  it("does not replace the binary that the binary key has signed", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const path = "stable/binary/demo-1.0.0-linux-x64.tar.gz";
    const honest = evil.delegated.binary?.targets[path]?.hashes.sha512;
    evil.addTarget("rules", path, Buffer.from("evil"));
    evil.publish("rules");
    lab.server.files = evil.files;
    const found = await (await lab.refresh()).find(path);
    assert.equal(found?.role, "binary");
    assert.equal(found?.file.hashes.sha512, honest);
    await recovers(lab);
  });

  it("cannot delegate a path that it does not have itself", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const [key] = evil.keys.rules ?? [];
    const rules = evil.delegated.rules;
    assert.ok(key && rules, "the lab has rules");
    rules.delegations = {
      keys: { [key.id]: key.object },
      roles: [{ name: "thief", keyids: [key.id], threshold: 1, terminating: false, paths: ["*/binary/*"] }],
    };
    evil.keys.thief = [key];
    evil.delegated.thief = { ...rules, version: 0, targets: {} };
    delete evil.delegated.thief.delegations;
    const { path } = evil.addTarget(
      "thief",
      "stable/binary/demo-9.0.0-linux-x64.tar.gz",
      Buffer.from("evil"),
    );
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
  it("are not fetched: the client never asks for an unsigned file on the server", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const extra = "targets/stable/rules/extra-9.0.0.tar.gz";
    lab.server.files = new Map([
      ...evil.files,
      [extra, Buffer.from("evil")],
      ["metadata/9.extra.json", Buffer.from("{}")],
    ]);
    const refreshed = await lab.refresh();
    assert.equal(await refreshed.find("stable/rules/extra-9.0.0.tar.gz"), null);
    const found = await refreshed.list("stable", "rules");
    assert.deepEqual(
      found.map(({ path }) => path),
      ["stable/rules/base-1.0.0.tar.gz"],
    );
    assert.ok(
      lab.server.requests.every(({ path }) => !path.includes("extra")),
      "an extra file was asked for",
    );
    await recovers(lab);
  });

  it("are not fetched where a snapshot names roles without a delegation", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    for (let count = 0; count < 2_000; count += 1) evil.snapshot.meta[`extra${count}.json`] = { version: 1 };
    evil.publish("rules");
    lab.server.files = evil.files;
    await (await lab.refresh()).list("stable", "rules");
    assert.ok(
      lab.server.requests.every(({ path }) => !path.includes("extra")),
      "an extra file was asked for",
    );
  });

  it("named by a release as what it depends on are not fetched either", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.addRelease({ version: "2.0.0", custom: { depends: ["stable/rules/extra-9.0.0.tar.gz"] } });
    evil.publish("rules");
    lab.server.files = evil.files;
    const found = await (await lab.refresh()).list("stable", "rules");
    assert.equal(found.length, 2);
    assert.ok(
      lab.server.requests.every(({ path }) => !path.includes("extra")),
      "an extra file was asked for",
    );
  });
});

describe("delegations without end", () => {
  it("stop at the cap on their number", async (test) => {
    const lab = await startLab(test, { isNew: true });
    const { repository } = lab;
    const [key] = repository.keys.rules ?? [];
    assert.ok(key, "the lab has a key for rules");
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
    const [key] = repository.keys.rules ?? [];
    assert.ok(key, "the lab has a key for rules");
    chain(repository, 12, key);
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
      const [key] = evil.keys.rules ?? [];
      const rules = evil.delegated.rules;
      assert.ok(key && rules, "the lab has rules");
      const thief = { ...structuredClone(rules), version: 0, targets: {} };
      const target = { length: 1, hashes: { sha512: "ab".repeat(64) } };
      thief.targets = Object.fromEntries(
        Array.from({ length: 6_000 }, (_, index) => [`stable/rules/a${index}`, target]),
      );
      evil.delegated.thief = thief;
      evil.keys.thief = [key];
      const role = (name: string, paths: string[]) => ({
        name,
        keyids: [key.id],
        threshold: 1,
        terminating: false,
        paths,
      });
      const paths = Array.from({ length: each }, (_, index) => `stable/other/${index}`);
      const others = Array.from({ length: roles }, (_, index) => role(`n${index}`, paths));
      rules.delegations = {
        keys: { [key.id]: key.object },
        roles: [...others, role("thief", ["*/rules/*"])],
      };
      evil.publish("rules", "thief");
      lab.server.files = evil.files;
      const refreshed = await lab.refresh();
      const before = process.cpuUsage();
      await refused("update_limit_exceeded", refreshed.list("stable", "rules"));
      const { user } = process.cpuUsage(before);
      assert.ok(user < 10_000_000, `it took ${user / 1e6} s of the processor`);
      // The publisher takes them out again; a role that a snapshot has named stays there.
      delete rules.delegations;
      evil.publish("rules");
      const found = await (await lab.refresh()).list("stable", "rules");
      assert.equal(found.length, 1);
    });
  }

  it("that go in a circle come to an end, with nothing found", async (test) => {
    const lab = await startLab(test, { isNew: true });
    const { repository } = lab;
    const [key] = repository.keys.rules ?? [];
    const rules = repository.delegated.rules;
    assert.ok(key && rules, "the lab has rules");
    rules.delegations = {
      keys: { [key.id]: key.object },
      roles: [{ name: "rules", keyids: [key.id], threshold: 1, terminating: false, paths: ["*/rules/*"] }],
    };
    repository.publish("rules");
    const refreshed = await lab.refresh();
    assert.equal(await refreshed.find("stable/rules/base-9.9.9.tar.gz"), null);
  });
});

/** targets → d0 → d1 → … */
function chain(
  repository: import("../../../lab/publisher/signed-repository.ts").SignedRepository,
  depth: number,
  key: import("../../../lab/publisher/signing-key.ts").SigningKey,
): void {
  const names = Array.from({ length: depth }, (_, index) => `d${index}`);
  const role = (name: string) => ({
    name,
    keyids: [key.id],
    threshold: 1,
    terminating: false,
    paths: ["*/rules/*"],
  });
  for (const name of names) {
    repository.keys[name] = [key];
    repository.delegate(name);
  }
  repository.targets.delegations = { keys: {}, roles: [role("d0")] };
  names.forEach((name, index) => {
    const next = names[index + 1];
    const signed = repository.delegated[name];
    if (next && signed) signed.delegations = { keys: { [key.id]: key.object }, roles: [role(next)] };
  });
  repository.publish("targets", ...names);
}
