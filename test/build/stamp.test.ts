import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { stampOf } from "../../scripts/stamp.ts";
import { compareVersions, isVersion } from "../../src/releases/semver.ts";

const root = join(import.meta.dirname, "../..");

/** A checkout of version 1.2.3, outside of git. */
function sources(test: TestContext): string {
  const directory = temporaryDirectory(test);
  writeFileSync(join(directory, "package.json"), '{ "version": "1.2.3" }');
  return directory;
}

function git(directory: string, ...words: readonly string[]): void {
  const person = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  execFileSync("git", [...person, "-c", "init.defaultBranch=main", ...words], {
    cwd: directory,
    stdio: "pipe",
  });
}

function commit(directory: string): string {
  git(directory, "add", ".");
  git(directory, "commit", "--quiet", "--allow-empty", "--message", "a commit");
  return stampOf(directory, assert.fail).version;
}

/** As apt decides whether to install it. */
const isNewer = (one: string, other: string): boolean =>
  spawnSync("dpkg", ["--compare-versions", one, "gt", other]).status === 0;

describe("the version of a build", () => {
  it("rises with each commit for dpkg, though all are made in the same second", (test) => {
    const directory = sources(test);
    git(directory, "init", "--quiet");
    for (let commits = 1; commits <= 8; commits += 1)
      git(directory, "commit", "--quiet", "--allow-empty", "--message", "an earlier one");
    const versions = ["1.2.3", ...Array.from({ length: 3 }, () => commit(directory))];
    for (const [index, version] of versions.entries()) {
      if (index === 0) continue;
      assert.match(version, new RegExp(`^1\\.2\\.3\\+git${8 + index}\\.[0-9a-f]{8}$`));
      assert.ok(isVersion(version), version);
      const before = versions[index - 1] ?? "";
      assert.ok(isNewer(version, before), `${version} is newer than ${before}`);
      assert.equal(compareVersions(version, before), 0, "the same release");
    }
    assert.ok(isNewer("1.2.4", versions.at(-1) ?? ""), "a release comes after it");
  });

  it("is told from its commit where files have been changed since, and gives way to the next", (test) => {
    const directory = sources(test);
    git(directory, "init", "--quiet");
    const before = commit(directory);
    writeFileSync(join(directory, "package.json"), '{ "version": "1.2.3", "private": true }');
    const { version } = stampOf(directory, assert.fail);
    assert.equal(version, `${before}.modified`);
    assert.ok(isVersion(version) && isNewer(version, before));
    assert.ok(isNewer(commit(directory), version));
  });

  it("is the same in another clone", (test) => {
    const [directory, place] = [sources(test), temporaryDirectory(test)];
    git(directory, "init", "--quiet");
    commit(directory);
    git(place, "clone", "--quiet", directory, "clone");
    const clone = join(place, "clone");
    assert.deepEqual(stampOf(clone, assert.fail), stampOf(directory, assert.fail));
  });

  it("is that of package.json alone where commits cannot be counted, and it is said", (test) => {
    const [directory, place] = [sources(test), temporaryDirectory(test)];
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    assert.deepEqual(stampOf(directory, say), { version: "1.2.3", commit: null, date: null });
    assert.match(said.pop() ?? "", /^This is built as 1\.2\.3, .*git does not know this directory/);
    git(directory, "init", "--quiet");
    for (let commits = 0; commits < 2; commits += 1) commit(directory);
    git(place, "clone", "--quiet", "--depth=1", `file://${directory}`, "shallow");
    const shallow = stampOf(join(place, "shallow"), say);
    assert.equal(shallow.version, "1.2.3");
    assert.equal(shallow.commit, stampOf(directory, assert.fail).commit);
    assert.match(said.pop() ?? "", /the clone is shallow; see `git fetch --unshallow`/);
  });

  it("is in what was built", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    const built = readFileSync(join(root, "dist/version"), "utf8").trim();
    assert.match(
      built,
      new RegExp(`^${version.replaceAll(".", "\\.")}(\\+git\\d+\\.[0-9a-f]{8}(\\.modified)?)?$`),
    );
    const { info } = JSON.parse(readFileSync(join(root, "dist/openapi.json"), "utf8"));
    assert.equal(info.version, built);
  });
});
