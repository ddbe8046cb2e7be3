import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Bench, makeBench, release, startedBench } from "../../lab/publisher/bench.ts";

describe("steward-publisher, when a draft cannot be published", { concurrency: 2 }, () => {
  it("publishes the others with --only, and gives the draft up with discard", async (test) => {
    const { directory, site, payload, good, bad } = await startedBench(test);
    await good("publish", site);
    renameSync(join(site, "keys", "root.pem"), join(directory, "root.pem"));
    await good("renew", site, "root", "--new-key", "root");
    await good("add", site, payload, ...release);
    const { stderr: refusal } = await bad(5, "publish", site);
    assert.match(
      refusal,
      /The others can be published now: steward-publisher publish \S+ --only rules\. To discard/,
    );
    const { stderr } = await good("publish", site, "--only", "rules");
    assert.match(stderr, /New for devices: stable\/rules\/.*\n[\s\S]*Still drafted: root\.$/m);
    const dry = await good("discard", site, "root", "--dry-run");
    assert.match(
      dry.stdout,
      /^The draft of root version 2, with: the key \w{16} for root, the removal of the key \w{16} for root\.$/m,
    );
    const { stderr: asked } = await bad(2, "discard", site, "root");
    assert.match(asked, /If you are sure, type:\n {2}steward-publisher discard \S+ root --yes/);
    assert.ok(existsSync(join(site, "draft", "root.json")), "nothing was discarded unasked");
    const { discarded } = JSON.parse((await good("discard", site, "--yes", "-o", "json")).stdout);
    const [{ role, version }, ...others] = discarded;
    assert.deepEqual([role, version, others], ["root", 2, []]);
    assert.deepEqual(readdirSync(join(site, "draft")), ["payloads"]);
    assert.match((await good("publish", site)).stderr, /Nothing is new/);
  });

  it("signs drafts too with the key that --key names, as its help says", async (test) => {
    const { directory, site, payload, good, bad } = await startedBench(test);
    await good("publish", site);
    const key = join(directory, "rules.pem");
    renameSync(join(site, "keys", "rules.pem"), key);
    await good("add", site, payload, ...release);
    await bad(5, "publish", site);
    const { stderr } = await good("publish", site, "--key", key);
    assert.match(stderr, /New for devices: stable\/rules\/.*\n[\s\S]*^The draft of rules was signed\.$/m);
  });
});

describe("steward-publisher, when something published expires soon", () => {
  it("ends publish and renew with 10 for cron, and says what, when and what to type", async (test) => {
    const { site, good, bad } = await startedBench(test, "--expires", "rules=1h");
    await good("publish", site);
    const type = `Type: steward-publisher renew ${site} rules && steward-publisher publish ${site}$`;
    const line = new RegExp(`rules version 1 expires at \\S+Z, in .*\\. ${type}`, "m");
    for (const command of ["publish", "renew"]) {
      await good(command, site);
      const { stderr } = await bad(10, command, site, "--margin", "2h", "--quiet");
      assert.match(stderr, line);
      assert.doesNotMatch(stderr, /binary|root version/);
    }
    const { expiring } = JSON.parse((await bad(10, "renew", site, "--margin", "2h", "-o", "json")).stdout);
    assert.deepEqual([expiring.length, expiring[0].role], [1, "rules"]);
    await good("renew", site, "rules");
    const { stderr } = await bad(10, "renew", site, "--margin", "2h");
    assert.match(stderr, /Type: steward-publisher publish \S+$/m);
  });
});

describe("steward-publisher add --security", () => {
  it("raises the floor to the release itself, or to another, or leaves it out where that is said", async (test) => {
    const { site, payload, good, bad } = await startedBench(test);
    const add = ["add", site, payload, ...release, "-o", "json"];
    const floorBy = async (...options: string[]) =>
      JSON.parse((await good(...add, ...options)).stdout).targets[0].entry.floor;
    assert.equal(await floorBy("--security", "--no-floor"), undefined);
    assert.equal(await floorBy("--security", "--floor", "0.5.0"), "0.5.0");
    assert.equal(await floorBy(), undefined);
    assert.match((await bad(2, ...add, "--no-floor")).stderr, /--no-floor is for --security/);
    // Devices are not led back to what it mends.
    const { stderr } = await good("add", site, payload, ...release, "--security");
    assert.match(stderr, /security release: once published, no device goes back to demo-rules below 1\.0\.0/);
    assert.match((await good("publish", site)).stderr, /^The floor of demo-rules is 1\.0\.0 now/m);
    assert.match((await good("inspect", site)).stdout, /security; floor 1\.0\.0/);
  });
});

describe("steward-publisher prune", () => {
  it("lists what goes and what stays, drops it when told so, and says what to do next", async (test) => {
    const { site, payload, good, bad } = await startedBench(test);
    const named = ["--kind", "rules", "--name", "demo-rules", "--allow", "same-bytes", "--release"];
    await good("add", site, payload, ...named, "1.0.0", "--security");
    for (const version of ["1.1.0", "1.2.0"]) await good("add", site, payload, ...named, version);
    await good("publish", site);
    const dry = await good("prune", site, "--keep", "1", "--dry-run");
    assert.equal(
      dry.stdout,
      `rules demo-rules for demo, stable, any: 1 old release is dropped, 1.1.0.
Releases that stay: 2.
  stable/rules/demo-rules-1.0.0.tar.gz stays: it has the highest floor, which new devices learn from it.
  stable/rules/demo-rules-1.1.0.tar.gz
`,
    );
    await bad(2, "prune", site, "--keep", "1");
    await bad(6, "prune", site, "--keep", "0");
    await bad(3, "prune", site, "--keep-release", "9.9.9", "--yes");
    assert.deepEqual(JSON.parse((await good("inspect", site, "-o", "json")).stdout).drafts, []);
    const { stderr } = await good("prune", site, "--keep", "1", "--yes");
    assert.match(stderr, /rules version 2 has \d+ bytes, \d+ fewer\.\nNext: steward-publisher publish/);
    assert.match(
      (await good("inspect", site)).stdout,
      /rules-1\.1\.0\.tar\.gz +published, dropped by the draft /,
    );
    const discarded = await good("discard", site, "rules", "--yes");
    assert.match(discarded.stderr, /The draft of rules version 2, with: 1 dropped release\./);
    await good("prune", site, "--keep", "1", "--yes");
    const published = await good("publish", site);
    assert.match(published.stderr, /^No longer on offer: stable\/rules\/demo-rules-1\.1\.0\.tar\.gz$/m);
    assert.match((await good("prune", site, "--keep", "1", "--yes")).stderr, /Nothing is dropped\./);
  });
});

/** Commits the repository without its keys, as a team keeps it, and returns a clone, to which the keys come back. */
function cloneOf({ directory, site }: Bench): string {
  const commit = "git -c user.name=Anna -c user.email=anna@example.org commit --quiet --message all";
  const script = `git init --quiet; git add --all -- . :!keys; ${commit}; git clone --quiet . ../clone`;
  execFileSync("sh", ["-euc", script], { cwd: site, stdio: "pipe" });
  const clone = join(directory, "clone");
  assert.equal(existsSync(join(clone, "draft", "payloads")), false, "git keeps no empty directory");
  cpSync(join(site, "keys"), join(clone, "keys"), { recursive: true });
  return clone;
}

describe("steward-publisher, in a checkout of git", { concurrency: 2 }, () => {
  for (const [name, words, message] of [
    ["adds a release", (bench: Bench) => ["add", "SITE", bench.payload, ...release], /It is signed\./],
    ["renews the timestamp by night", () => ["renew", "SITE"], /Published in .*: timestamp 2 /],
    ["publishes", () => ["publish", "SITE"], /Nothing is new/],
    ["discards", () => ["discard", "SITE", "root", "--yes"], /The draft of root version 2/],
  ] as const)
    it(name, async (test) => {
      const bench = await startedBench(test);
      await bench.good("publish", bench.site);
      if (name === "discards") await bench.good("renew", bench.site, "root");
      const clone = cloneOf(bench);
      const { stderr } = await bench.good(...words(bench).map((word) => (word === "SITE" ? clone : word)));
      assert.match(stderr, message);
      assert.equal(statSync(join(clone, "draft", "payloads")).mode & 0o777, 0o700);
    });

  it("publishes for the first time", async (test) => {
    const bench = await makeBench(test);
    const { stderr } = await bench.good("init", bench.site, "--product", "demo");
    assert.match(
      stderr,
      /Next: steward-publisher publish \S+\. It needs no release, and writes \S+1\.root\.json/,
    );
    const clone = cloneOf(bench);
    await bench.good("publish", clone);
    assert.deepEqual(readdirSync(join(clone, "public")).sort(), ["metadata", "targets"]);
  });
});
