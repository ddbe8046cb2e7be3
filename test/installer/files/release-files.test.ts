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

function scratchWith(
  test: TestContext,
  content = "secret",
): { at: (name: string) => string; outside: string } {
  const scratch = makeScratch(test);
  const outside = join(scratch, "outside");
  writeFileSync(outside, content);
  mkdirSync(join(scratch, "in"));
  return { at: (name) => join(scratch, "in", name), outside };
}

describe("the files of releases", () => {
  it("are written whole with the mode that was asked for, whatever the umask, and read again", async (test) => {
    const { at } = scratchWith(test);
    const umask = process.umask(0o077);
    test.after(() => process.umask(umask));
    await files.write(at("journal.json"), "one", 0o644);
    await files.write(at("journal.json"), "two", 0o644);
    assert.equal(Buffer.from((await files.read(at("journal.json"), 3)) ?? []).toString(), "two");
    assert.equal(statSync(at("journal.json")).mode & 0o7777, 0o644);
    await files.write(at("order"), "confirm", 0o600);
    assert.equal(statSync(at("order")).mode & 0o7777, 0o600);
    await files.makeDirectory(at("a/b/c"), 0o755);
    for (const name of ["a", "a/b", "a/b/c"]) assert.equal(statSync(at(name)).mode & 0o7777, 0o755, name);
  });

  it("that are not there are nothing, and none is no failure", async (test) => {
    const { at } = scratchWith(test);
    assert.equal(await files.read(at("none"), 10), null);
    assert.deepEqual(await files.names(at("none")), []);
    assert.equal(await files.linkTarget(at("none")), null);
    await files.remove(at("none"));
    await files.link(at("none"), null);
    assert.deepEqual(await files.names(at(".")), []);
  });

  it("that are no files are not read", async (test) => {
    const { at } = scratchWith(test);
    mkdirSync(at("directory"));
    execFileSync("mkfifo", [at("fifo")]);
    for (const name of ["directory", "fifo"])
      await assert.rejects(files.read(at(name), 10), { code: "state_damaged", message: /no regular file/ });
  });

  it("that are longer than they may be are refused", async (test) => {
    const { at } = scratchWith(test);
    await files.write(at("long"), "12345", 0o644);
    await assert.rejects(files.read(at("long"), 4), { code: "state_damaged", message: /the limit of 4\./ });
  });

  it("are named in order", async (test) => {
    const { at } = scratchWith(test);
    for (const name of ["b", "c", "a"]) await files.write(at(name), "", 0o644);
    assert.deepEqual(await files.names(at(".")), ["a", "b", "c"]);
  });

  it("are removed with all that is in them, and what links lead to stays", async (test) => {
    const { at, outside } = scratchWith(test);
    await files.makeDirectory(at("tree/deep"), 0o755);
    symlinkSync(outside, at("tree/deep/link"));
    const opened = readdirSync("/proc/self/fd").length;
    await files.remove(at("tree"));
    assert.equal(existsSync(at("tree")), false);
    assert.equal(readdirSync("/proc/self/fd").length, opened, "a directory is left open");
    assert.equal(readFileSync(outside, "utf8"), "secret");
  });

  it("are moved, but never over a directory", async (test) => {
    const { at } = scratchWith(test);
    await files.makeDirectory(at("draft"), 0o755);
    await files.write(at("draft/file"), "x", 0o644);
    await files.makeDirectory(at("taken"), 0o755);
    await assert.rejects(files.move(at("draft"), at("taken")), { code: "state_damaged" });
    await files.makeDirectory(at("elsewhere"), 0o755);
    await files.move(at("draft"), at("elsewhere/tree"));
    assert.equal(readFileSync(at("elsewhere/tree/file"), "utf8"), "x");
    assert.equal(existsSync(at("draft")), false);
  });

  it("say how much the disk has left", async (test) => {
    const { at } = scratchWith(test);
    assert.ok((await files.freeBytes(at("."))) > 0, "no byte is left");
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
  it("is put in the place of the one before, and taken away", async (test) => {
    const { at } = scratchWith(test);
    await files.link(at("current"), "../releases/a");
    await files.link(at("current"), "../releases/b");
    assert.equal(await files.linkTarget(at("current")), "../releases/b");
    assert.equal(readlinkSync(at("current")), "../releases/b");
    await files.link(at("current"), null);
    assert.equal(await files.linkTarget(at("current")), null);
    assert.deepEqual(readdirSync(at(".")), []);
  });

  it("stays as it is where the next one cannot be made, which leaves nothing behind", async (test) => {
    const { at } = scratchWith(test);
    await files.link(at("current"), "../releases/a");
    await assert.rejects(files.link(at("current"), "x".repeat(5_000)), /ENAMETOOLONG/);
    assert.equal(await files.linkTarget(at("current")), "../releases/a");
    assert.deepEqual(readdirSync(at(".")), ["current"]);
  });

  it("never takes the place of a directory or a file, nor away one", async (test) => {
    const { at } = scratchWith(test);
    await files.makeDirectory(at("directory"), 0o755);
    await files.write(at("file"), "x", 0o644);
    for (const name of ["directory", "file"]) {
      await assert.rejects(files.link(at(name), "a"), { code: "state_damaged" }, name);
      await assert.rejects(files.link(at(name), null), { code: "state_damaged" }, name);
      await assert.rejects(files.linkTarget(at(name)), { code: "state_damaged" }, name);
    }
    assert.deepEqual(readdirSync(at(".")), ["directory", "file"]);
  });
});

describe("a link where a file of releases should be", () => {
  it("is not read through", async (test) => {
    const { at, outside } = scratchWith(test);
    symlinkSync(outside, at("journal.json"));
    await assert.rejects(files.read(at("journal.json"), 100), { code: "state_damaged" });
  });

  it("is replaced by the written file, and its target stays as it was", async (test) => {
    const { at, outside } = scratchWith(test);
    symlinkSync(outside, at("journal.json"));
    await files.write(at("journal.json"), "new", 0o644);
    assert.equal(readFileSync(outside, "utf8"), "secret");
    assert.ok(lstatSync(at("journal.json")).isFile(), "it is no file of its own");
  });

  it("is no directory to write into or to look into", async (test) => {
    const { at } = scratchWith(test);
    await files.makeDirectory(at("real"), 0o755);
    symlinkSync(at("real"), at("link"));
    await assert.rejects(files.makeDirectory(at("link"), 0o755), { code: "state_damaged" });
    await assert.rejects(files.names(at("link")), { code: "state_damaged" });
  });

  it("is removed itself, and what it led to stays", async (test) => {
    const { at, outside } = scratchWith(test);
    symlinkSync(outside, at("link"));
    await files.remove(at("link"));
    assert.deepEqual(readdirSync(at(".")), []);
    assert.equal(readFileSync(outside, "utf8"), "secret");
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
