import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { beforeEach, describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { isOfChange, watchDisk } from "../../../lab/state/watched-disk.ts";
import type { StewardError } from "../../../src/contract/errors.ts";
import { moveDirectory } from "../../../src/store/files/move-directory.ts";
import { finishWipe, isWipeRequested, requestWipe } from "../../../src/store/files/wipe.ts";
import { putStrange } from "../strange-files.ts";

type Rename = typeof rename;

const names = ["audit-1", "audit-2", "security-1"];

/** A record of three files, and one of before. */
async function places(test: TestContext): Promise<{ home: string; from: string; to: string }> {
  const home = await temporaryDirectory(test);
  const [from, to] = [join(home, "events"), join(home, "events-before")];
  for (const directory of [from, to]) await mkdir(directory);
  for (const name of names) await writeFile(join(from, name), `of ${name}`);
  await writeFile(join(to, "audit-0"), "kept before");
  return { home, from, to };
}

const refusal = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

/** Overlayfs renames the files of a lower layer, and no directory. */
const overlaid =
  (from: string, code = "EXDEV"): Rename =>
  async (source, target) => {
    if (source === from) throw refusal(code);
    await rename(source, target);
  };

/** As between two file systems: nothing but what was made in the new one. */
const across =
  (from: string): Rename =>
  async (source, target) => {
    if (String(source).startsWith(from)) throw refusal("EXDEV");
    await rename(source, target);
  };

async function contentOf(directory: string): Promise<Record<string, string>> {
  const found = await readdir(directory);
  const texts = found.map(async (name) => [name, await readFile(join(directory, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

const whole = Object.fromEntries(names.map((name) => [name, `of ${name}`]));

describe("a directory that takes another one's place", () => {
  for (const [name, moveOf] of [
    ["by one rename", () => rename],
    ["in a lower layer of overlayfs, which renames no directory (EXDEV)", (from) => overlaid(from)],
    ["that is a mount point (EBUSY)", (from) => overlaid(from, "EBUSY")],
    ["from another file system (EXDEV for its files too)", across],
  ] as const satisfies readonly (readonly [string, (from: string) => Rename])[])
    it(`comes whole, and loses nothing when it is cut short at any rename: ${name}`, async (test) => {
      for (let cut = 0; ; cut += 1) {
        const { home, from, to } = await places(test);
        const move = moveOf(from) as Rename;
        let calls = 0;
        const cutting: Rename = async (source, target) => {
          if (calls === cut) throw refusal("EIO");
          calls += 1;
          await move(source, target);
        };
        const isCut = await moveDirectory(from, to, cutting).then(
          () => false,
          (error) => error.code === "storage_unwritable",
        );
        if (!isCut) assert.deepEqual(await contentOf(to), whole);
        // A second call goes on, or has nothing to move.
        await moveDirectory(from, to, move);
        assert.deepEqual(await contentOf(to), whole, `cut short at rename ${cut}`);
        assert.deepEqual(await readdir(home), ["events-before"]);
        if (!isCut) return assert.ok(cut > 1, "no call was cut short");
      }
    });

  it("waits for no pipe and copies nothing behind a link on its way to another file system", async (test) => {
    const { from, to } = await places(test);
    for (const kind of ["a pipe", "a link", "a link to nothing", "a socket"])
      await putStrange(kind, { test, path: join(from, kind) });
    await mkdir(join(from, "lost+found"));
    await moveDirectory(from, to, across(from) as Rename);
    assert.deepEqual(await contentOf(to), { ...whole, ".target": "{}" });
    assert.deepEqual(await readdir(from), ["lost+found"], "which is the file system's own");
    await moveDirectory(from, to, across(from) as Rename);
    assert.deepEqual(await contentOf(to), { ...whole, ".target": "{}" }, "a second call has nothing to move");
  });

  it("is on the disk in its new place before it goes from the former one", async (test) => {
    const all = async (moveOf: (from: string) => Rename) => {
      const { home, from, to } = await places(test);
      const calls = watchDisk(test);
      await moveDirectory(from, to, moveOf(from));
      const name = (path: string) => relative(home, path).replace(".events-before.part", "new");
      return calls.filter(isOfChange).map(({ what, path }) => `${what} ${name(path)}`);
    };
    const end = ["rm events-before", "rename events-before", "sync "];
    assert.deepEqual(
      await all(
        () =>
          (...given) =>
            rename(...given),
      ),
      ["rename new", ...end],
    );
    const copied = names.flatMap((name) => [`sync new/${name}`, "sync new", `unlink events/${name}`]);
    assert.deepEqual(await all(across), ["mkdir new", "sync ", ...copied, "sync new", ...end]);
  });

  it("is refused with the system's reason where a directory cannot be read or removed", async (test) => {
    const { home, from, to } = await places(test);
    await writeFile(join(home, "file"), "");
    const isUnwritable = (code: string) => (error: Error & { code: string }) => {
      assert.equal(error.code, "storage_unwritable");
      assert.match(error.message, new RegExp(`\\(${code}\\)`));
      return true;
    };
    await assert.rejects(moveDirectory(join(home, "file"), to), isUnwritable("ENOTDIR"));
    const refused = moveDirectory(from, to, async () => Promise.reject(refusal("EIO")));
    await assert.rejects(refused, isUnwritable("EIO"));
    const isIntact = [await contentOf(from), await contentOf(to)];
    assert.deepEqual(isIntact, [whole, { "audit-0": "kept before" }]);
  });

  it("leaves the other one where there is nothing to move", async (test) => {
    const { home, to } = await places(test);
    await mkdir(join(home, "empty"));
    for (const name of ["absent", "empty"]) await moveDirectory(join(home, name), to);
    assert.deepEqual(await contentOf(to), { "audit-0": "kept before" });
  });
});

describe("the deletion of a state directory", () => {
  let directory: string;
  beforeEach(async () => {
    directory = scratchDirectory();
    await writeFile(join(directory, "users.json"), "{}");
    await writeFile(join(directory, ".seal.key"), "a key");
    await writeFile(join(directory, ".lock"), "1 agent\n");
    await mkdir(join(directory, "updates/staged"), { recursive: true });
    await writeFile(join(directory, "updates/staged/payload"), "bytes");
  });

  it("touches nothing that it was not asked for", async () => {
    assert.equal(await finishWipe(directory), false);
    assert.deepEqual((await readdir(directory)).sort(), [".lock", ".seal.key", "updates", "users.json"]);
  });

  it("leaves the lock alone, hidden files and directories go too", async () => {
    await requestWipe(directory);
    assert.equal(isWipeRequested(directory), true);
    assert.equal(await finishWipe(directory), true);
    assert.deepEqual(await readdir(directory), [".lock"]);
    assert.equal(await finishWipe(directory), false);
  });

  it("is on the disk before its request goes, and so is that before it is over", async (test) => {
    await mkdir(join(directory, "lost+found"));
    await requestWipe(directory);
    const calls = watchDisk(test);
    assert.equal(await finishWipe(directory), true);
    const done = calls.filter(isOfChange).map(({ what, path }) => `${what} ${relative(directory, path)}`);
    assert.deepEqual(done.slice(0, 3).sort(), ["rm .seal.key", "rm updates", "rm users.json"]);
    assert.deepEqual(done.slice(3), ["sync ", "rm .wipe", "sync "]);
    assert.deepEqual((await readdir(directory)).sort(), [".lock", "lost+found"]);
  });

  it("is continued after an interruption at any file", async () => {
    await requestWipe(directory);
    // No order of the deletions is promised: any half may be gone.
    await rm(join(directory, "users.json"));
    await rm(join(directory, "updates/staged"), { recursive: true });
    assert.equal(await finishWipe(directory), true);
    assert.deepEqual(await readdir(directory), [".lock"]);
  });

  it("gives the reserve up for its request on a full disk, without one it does not begin", async (test) => {
    const mount = await mountPrivately(test, 1);
    if (typeof mount === "string") return test.skip(mount);
    const reserve = join(mount.seen, ".reserve");
    await writeFile(reserve, "");
    // No file can be made any more: the directory and the reserve are all that there may be.
    mount.run('mount -o remount,nr_inodes=2 "$1"');
    await requestWipe(mount.seen);
    assert.deepEqual(await readdir(mount.seen), [".wipe"]);
    await rename(join(mount.seen, ".wipe"), join(mount.seen, "other"));
    const isFull = { code: "storage_full" };
    await assert.rejects(requestWipe(mount.seen), isFull);
    assert.equal(await isWipeRequested(mount.seen), false);
  });

  it("gives no reserve up where that does not help", async () => {
    await writeFile(join(directory, ".reserve"), "");
    // Neither of the two can be moved out of the way.
    for (const name of [".wipe/held", ".wipe.bad/held"])
      await mkdir(join(directory, name), { recursive: true });
    const isUnwritable = ({ code }: StewardError) => code === "storage_unwritable";
    await assert.rejects(requestWipe(directory), isUnwritable);
    assert.ok((await readdir(directory)).includes(".reserve"));
  });
});
