import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Bench, makeBench, release } from "../../lab/publisher/bench.ts";

/** Commits the repository without its keys, as a team keeps it, and returns a clone, to which the keys come back. */
function cloneOf({ directory, site }: Bench): string {
  const clone = join(directory, "clone");
  const git = (...words: string[]) => execFileSync("git", ["-C", site, ...words], { stdio: "pipe" });
  git("init", "--quiet");
  git("add", "--all", "--", ".", ":!keys");
  git("-c", "user.name=Anna", "-c", "user.email=anna@example.org", "commit", "--quiet", "--message", "all");
  execFileSync("git", ["clone", "--quiet", site, clone], { stdio: "pipe" });
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
      const bench = await makeBench(test);
      await bench.good("init", bench.site, "--product", "demo");
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
