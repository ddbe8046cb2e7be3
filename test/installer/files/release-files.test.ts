import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeScratch } from "../../../lab/publisher/site.ts";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { freeSpace } from "../../../src/host/linux/free-space.ts";
import type { ReleaseFiles } from "../../../src/host/release-ports.ts";
import { createReleaseFiles } from "../../../src/installer/files/release-files.ts";

const run = createRunCommand();
const files = createReleaseFiles(run, freeSpace);

/** A directory for files of releases, and a file outside of it. */
function scratchWith(test: TestContext) {
  const scratch = makeScratch(test);
  const outside = join(scratch, "outside");
  writeFileSync(outside, "secret");
  mkdirSync(join(scratch, "in"));
  return { at: (name: string) => join(scratch, "in", name), outside };
}

const damaged = { code: "state_damaged" };
const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe("the files of releases", () => {
  it("are written whole with the mode that was asked for, whatever the umask, and read again", async (test) => {
    const { at } = scratchWith(test);
    const umask = process.umask(0o077);
    test.after(() => process.umask(umask));
    for (const content of ["one", "two"]) await files.write(at("journal.json"), content, 0o644);
    assert.equal(Buffer.from((await files.read(at("journal.json"), 3)) ?? []).toString(), "two");
    await files.write(at("order"), "confirm", 0o600);
    assert.deepEqual([modeOf(at("journal.json")), modeOf(at("order"))], [0o644, 0o600]);
    await files.makeDirectory(at("a/b/c"), 0o755);
    assert.deepEqual(["a", "a/b", "a/b/c"].map(at).map(modeOf), [0o755, 0o755, 0o755]);
    assert.deepEqual(await files.names(at(".")), ["a", "journal.json", "order"]);
    assert.ok((await files.freeBytes(at("."))) > 0, "no byte is left");
  });

  it("that are not there are nothing, and none is no failure", async (test) => {
    const { at } = scratchWith(test);
    const found = [await files.read(at("none"), 10), await files.linkTarget(at("none"))];
    assert.deepEqual([...found, await files.names(at("none"))], [null, null, []]);
    await files.remove(at("none"));
    await files.link(at("none"), null);
    assert.deepEqual(await files.names(at(".")), []);
  });

  it("that are no files, or longer than they may be, are not read", async (test) => {
    const { at } = scratchWith(test);
    mkdirSync(at("directory"));
    execFileSync("mkfifo", [at("fifo")]);
    for (const name of ["directory", "fifo"])
      await assert.rejects(files.read(at(name), 10), { ...damaged, message: /no regular file/ });
    await files.write(at("long"), "12345", 0o644);
    await assert.rejects(files.read(at("long"), 4), { ...damaged, message: /the limit of 4\./ });
  });

  it("are removed with all that is in them, and what links lead to stays", async (test) => {
    const { at, outside } = scratchWith(test);
    await files.makeDirectory(at("tree/deep"), 0o755);
    symlinkSync(outside, at("tree/deep/link"));
    symlinkSync(outside, at("link"));
    const opened = readdirSync("/proc/self/fd").length;
    for (const name of ["tree", "link"]) await files.remove(at(name));
    assert.deepEqual(readdirSync(at(".")), []);
    assert.equal(readdirSync("/proc/self/fd").length, opened, "a directory is left open");
    assert.equal(readFileSync(outside, "utf8"), "secret");
  });

  it("are moved, but never over a directory", async (test) => {
    const { at } = scratchWith(test);
    for (const name of ["draft", "taken", "elsewhere"]) await files.makeDirectory(at(name), 0o755);
    await files.write(at("draft/file"), "x", 0o644);
    await assert.rejects(files.move(at("draft"), at("taken")), damaged);
    await files.move(at("draft"), at("elsewhere/tree"));
    assert.equal(readFileSync(at("elsewhere/tree/file"), "utf8"), "x");
    assert.equal(existsSync(at("draft")), false);
  });

  it("are synced as a whole by a call that tells of failures", async (test) => {
    const { at } = scratchWith(test);
    const told: string[][] = [];
    const noting = (status: number): ReleaseFiles =>
      createReleaseFiles(async (program, args) => {
        told.push([program, ...args]);
        return { status, stdout: "", stderr: "sync: error syncing: Input/output error\n" };
      }, freeSpace);
    await noting(0).sync(at("."));
    assert.deepEqual(told, [["sync", "-f", "--", at(".")]]);
    await assert.rejects(noting(1).sync(at(".")), { code: "storage_unwritable", message: /Input\/output/ });
    await files.sync(at("."));
  });

  it("are synced one by one where there is no such program", async (test) => {
    const { at, outside } = scratchWith(test);
    await files.makeDirectory(at("tree/deep"), 0o755);
    await files.write(at("tree/deep/file"), "x", 0o644);
    symlinkSync(outside, at("tree/deep/link"));
    const own = await open(outside);
    const handles: { fd: number; sync(): Promise<void> } = Object.getPrototypeOf(own);
    await own.close();
    const { sync } = handles;
    const synced: string[] = [];
    test.after(() => Object.assign(handles, { sync }));
    handles.sync = function () {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      return sync.call(this);
    };
    await createReleaseFiles(createRunCommand({ path: "/nonexistent" }), freeSpace).sync(at("tree"));
    assert.deepEqual(synced, [at("tree/deep/file"), at("tree/deep"), at("tree")]);
  });
});

describe("a link to a release", () => {
  it("is put in the place of the one before, stays where the next cannot be made, and is taken away", async (test) => {
    const { at } = scratchWith(test);
    for (const target of ["../releases/a", "../releases/b"]) await files.link(at("current"), target);
    await assert.rejects(files.link(at("current"), "x".repeat(5_000)), /ENAMETOOLONG/);
    assert.equal(await files.linkTarget(at("current")), "../releases/b");
    assert.deepEqual(readdirSync(at(".")), ["current"]);
    await files.link(at("current"), null);
    assert.deepEqual(readdirSync(at(".")), []);
  });

  it("never takes the place of a directory or a file, nor away one", async (test) => {
    const { at } = scratchWith(test);
    await files.makeDirectory(at("directory"), 0o755);
    await files.write(at("file"), "x", 0o644);
    for (const name of ["directory", "file"]) {
      await assert.rejects(files.link(at(name), "a"), damaged, name);
      await assert.rejects(files.link(at(name), null), damaged, name);
      await assert.rejects(files.linkTarget(at(name)), damaged, name);
    }
    assert.deepEqual(readdirSync(at(".")), ["directory", "file"]);
  });
});

describe("a link where a file of releases should be", () => {
  it("is not read through, no directory to write or look into, and replaced by the written file", async (test) => {
    const { at, outside } = scratchWith(test);
    symlinkSync(outside, at("journal.json"));
    await assert.rejects(files.read(at("journal.json"), 100), damaged);
    await files.write(at("journal.json"), "new", 0o644);
    assert.ok(lstatSync(at("journal.json")).isFile(), "it is no file of its own");
    assert.equal(readFileSync(outside, "utf8"), "secret");
    await files.makeDirectory(at("real"), 0o755);
    symlinkSync(at("real"), at("link"));
    await assert.rejects(files.makeDirectory(at("link"), 0o755), damaged);
    await assert.rejects(files.names(at("link")), damaged);
  });
});

describe("what was left by a change that was killed", () => {
  it("is removed by the next one of the same path, and nothing of another path is", async (test) => {
    const { at } = scratchWith(test);
    symlinkSync("nowhere", at(".current.0123456789ab.tmp"));
    writeFileSync(at(".journal.json.0123456789ab.tmp"), "half");
    writeFileSync(at(".previous.0123456789ab.tmp"), "another's");
    await files.link(at("current"), "a");
    await files.write(at("journal.json"), "whole", 0o644);
    assert.deepEqual(readdirSync(at(".")), [".previous.0123456789ab.tmp", "current", "journal.json"]);
  });
});

describe("the files of releases on a full disk", () => {
  it("stay as they were, and nothing half is left", async (test) => {
    const mount = await mountPrivately(test, 1);
    if (typeof mount === "string") return test.skip(mount);
    const at = (name: string) => join(mount.seen, name);
    await files.write(at("journal.json"), "old", 0o644);
    await assert.rejects(files.write(at("big"), Buffer.alloc(2_097_152), 0o644), { code: "storage_full" });
    assert.deepEqual(await files.names(mount.seen), ["journal.json"]);
    mount.run('dd if=/dev/zero of="$1/filler" bs=4096 2>/dev/null || true');
    await assert.rejects(files.write(at("journal.json"), "new", 0o644), { code: "storage_full" });
    assert.equal(readFileSync(at("journal.json"), "utf8"), "old");
    assert.deepEqual(await files.names(mount.seen), ["filler", "journal.json"]);
    await files.remove(at("filler"));
    await files.write(at("journal.json"), "new", 0o644);
    assert.equal(readFileSync(at("journal.json"), "utf8"), "new");
  });
});
