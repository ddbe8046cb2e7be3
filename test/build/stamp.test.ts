import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { stampOf } from "../../scripts/stamp.ts";
import { compareVersions, isVersion } from "../../src/releases/semver.ts";

const root = join(import.meta.dirname, "../..");

/** A checkout of version 1.2.3, outside of git or in it. */
function sources(test: TestContext, isInGit = true): string {
  const directory = temporaryDirectory(test);
  writeFileSync(join(directory, "package.json"), '{ "version": "1.2.3" }');
  if (isInGit) git(directory, "init", "--quiet");
  return directory;
}

function git(cwd: string, ...words: readonly string[]): void {
  const settings = ["user.name=A", "user.email=a@example.com", "init.defaultBranch=main"];
  const options = settings.flatMap((one) => ["-c", one]);
  execFileSync("git", [...options, ...words], { cwd, stdio: "pipe" });
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
    let before = "1.2.3";
    for (let count = 1; count <= 11; count += 1) {
      const version = commit(directory);
      assert.match(version, new RegExp(`^1\\.2\\.3\\+git${count}\\.[0-9a-f]{8}$`));
      assert.ok(isVersion(version) && isNewer(version, before), `${version} is newer than ${before}`);
      assert.equal(compareVersions(version, before), 0, "the same release");
      before = version;
    }
    assert.ok(isNewer("1.2.4", before), "a release comes after it");
  });

  it("is told from its commit where files have been changed since, and gives way to the next", (test) => {
    const directory = sources(test);
    const before = commit(directory);
    writeFileSync(join(directory, "package.json"), '{ "version": "1.2.3", "private": true }');
    const { version } = stampOf(directory, assert.fail);
    assert.equal(version, `${before}.modified`);
    assert.ok(isVersion(version) && isNewer(version, before));
    assert.ok(isNewer(commit(directory), version));
  });

  it("is the same in another clone", (test) => {
    const [directory, clone] = [sources(test), join(temporaryDirectory(test), "clone")];
    commit(directory);
    git("/", "clone", "--quiet", directory, clone);
    assert.deepEqual(stampOf(clone, assert.fail), stampOf(directory, assert.fail));
  });

  it("is that of package.json alone where commits cannot be counted, and it is said", (test) => {
    const [directory, shallow] = [sources(test, false), join(temporaryDirectory(test), "shallow")];
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    assert.deepEqual(stampOf(directory, say), { version: "1.2.3", commit: null, date: null });
    assert.match(said.pop() ?? "", /^This is built as 1\.2\.3, .*git does not know this directory/);
    git(directory, "init", "--quiet");
    for (let commits = 0; commits < 2; commits += 1) commit(directory);
    git("/", "clone", "--quiet", "--depth=1", `file://${directory}`, shallow);
    const { version, commit: name } = stampOf(shallow, say);
    assert.deepEqual([version, name], ["1.2.3", stampOf(directory, assert.fail).commit]);
    assert.match(said.pop() ?? "", /the clone is shallow; see `git fetch --unshallow`/);
  });

  it("is in what was built", () => {
    const read = (path: string) => readFileSync(join(root, path), "utf8");
    const { version } = JSON.parse(read("package.json")) as { version: string };
    const built = read("dist/version").trim();
    const [released = "", commit = "+git1.00000000"] = built.split(/(?=\+)/);
    assert.equal(released, version);
    assert.match(commit, /^\+git\d+\.[0-9a-f]{8}(\.modified)?$/);
    assert.equal(JSON.parse(read("dist/openapi.json")).info.version, built);
  });
});
