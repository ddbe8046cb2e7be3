import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs, { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { compileKillAt, watchRun } from "../../../lab/crashes/power-cut.ts";
import { bundleFixture } from "../../../lab/state/state-directory.ts";
import { replaced } from "../../../lab/state/watched-disk.ts";
import {
  decideReplacement,
  dropReplacement,
  finishReplacement,
  isReplacementDecided,
  makeReplacementPlace,
  replacementPlace,
} from "../../../src/store/files/replacement.ts";

type Files = Readonly<Record<string, string>>;

const former: Files = {
  "users.json": "former users",
  "users.good.json": "former users, good",
  ".seal.key": "former key",
  "events/changes-1.jsonl": "former events",
  "events/refusals-1.jsonl": "former refusals",
  "updates/staged/payload": "bytes",
};
const next: Files = {
  "users.json": "next users",
  "tokens.json": "next tokens",
  ".seal.key": "next key",
  "events/changes-1.jsonl": "next events",
  "tls/own.pem": "next certificate",
};

async function put(directory: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
}

async function filesIn(directory: string): Promise<Files> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const named = paths.map(async (path) => [path.slice(directory.length + 1), await readFile(path, "utf8")]);
  return Object.fromEntries((await Promise.all(named)).sort());
}

const withLock = (files: Files): Files =>
  Object.fromEntries(Object.entries({ ...files, ".lock": "1 agent\n" }).sort());

/** A state directory with another state in its place. */
async function prepared(directory: string): Promise<string> {
  await put(directory, { ...former, ".lock": "1 agent\n" });
  await makeReplacementPlace(directory);
  await put(replacementPlace(directory).state, next);
  return directory;
}

/** Lets renames fail as `codeOf` says by their number and paths; the returned function mends them. */
function breakRenames(test: TestContext, codeOf: (call: number, from: string, to: string) => string | null) {
  const { own, put } = replaced(test, fs.promises, "rename");
  let calls = 0;
  put(async (from, to) => {
    const code = codeOf(calls, String(from), String(to));
    calls += 1;
    if (code !== null) throw Object.assign(new Error(`${code}: refused`), { code });
    await own(from, to);
  });
  return () => put(own);
}

describe("the replacement of a state directory", () => {
  it("is dropped where it was not decided, or was dropped before it is carried out", async () => {
    const directory = await prepared(scratchDirectory());
    assert.equal(await finishReplacement(directory), false);
    assert.deepEqual(await filesIn(directory), withLock(former));
    await prepared(directory);
    await decideReplacement(directory);
    await dropReplacement(directory);
    assert.equal(await finishReplacement(directory), false);
    assert.deepEqual(await filesIn(directory), withLock(former));
  });

  it("leaves nothing of the former state but the lock", async () => {
    const directory = await prepared(scratchDirectory());
    await decideReplacement(directory);
    assert.equal(isReplacementDecided(directory), true);
    assert.equal(await finishReplacement(directory), true);
    assert.deepEqual([await filesIn(directory), isReplacementDecided(directory)], [withLock(next), false]);
  });

  it("takes no name of the next state for its own place, marker or lock (a hostile backup)", async () => {
    const directory = await prepared(scratchDirectory());
    const own = [".restore/x", ".restore.json/x", ".lock/x", "lost+found/x"];
    await put(replacementPlace(directory).state, Object.fromEntries(own.map((name) => [name, "hostile"])));
    await decideReplacement(directory);
    assert.equal(await finishReplacement(directory), true);
    assert.deepEqual(await filesIn(directory), withLock(next));
    assert.equal(await finishReplacement(directory), false);
  });

  it("leaves the former state, whole, at any name that cannot be moved, and is void then", async (test) => {
    for (let broken = 0; ; broken += 1) {
      const directory = await prepared(scratchDirectory());
      await decideReplacement(directory);
      const mended = breakRenames(test, (call) => (call === broken ? "EIO" : null));
      const error = await finishReplacement(directory).then(
        () => null,
        (reason) => reason,
      );
      mended();
      if (error === null) return assert.ok(broken > 8, `no rename after ${broken} was seen`);
      assert.match(error.message, /The backup was not restored \(EIO\), and the state is as it was/);
      assert.equal(error.code, "storage_unwritable");
      const expected = withLock(former);
      assert.deepEqual(await filesIn(directory), expected, `rename ${broken}`);
      assert.equal(await finishReplacement(directory), false, "nothing is tried again");
    }
  });

  it("is gone on with by the next start where nothing can be moved back either, and not dropped before", async (test) => {
    const sides = { former: 0, next: 0 };
    for (let broken = 0; broken < 11; broken += 1) {
      const directory = await prepared(scratchDirectory());
      await decideReplacement(directory);
      const mended = breakRenames(test, (call) => (call >= broken ? "EROFS" : null));
      await finishReplacement(directory).catch((error) => assert.equal(error.code, "storage_unwritable"));
      mended();
      if (isReplacementDecided(directory) && broken > 0)
        for (const drop of [dropReplacement, makeReplacementPlace])
          await assert.rejects(drop(directory), { code: "state_damaged" });
      const isNext = await finishReplacement(directory);
      const expected = withLock(isNext ? next : former);
      assert.deepEqual(await filesIn(directory), expected, `from rename ${broken} on`);
      sides[isNext ? "next" : "former"] += 1;
    }
    assert.ok(sides.next > 8, JSON.stringify(sides));
  });

  it("comes whole where a directory cannot be renamed: in a lower layer of overlayfs, or a mount point", async (test) => {
    for (const code of ["EXDEV", "EBUSY"]) {
      const directory = await prepared(scratchDirectory());
      await decideReplacement(directory);
      const events = join(directory, "events");
      const mended = breakRenames(test, (_, ...paths) => (paths.includes(events) ? code : null));
      assert.equal(await finishReplacement(directory), true);
      mended();
      assert.deepEqual(await filesIn(directory), withLock(next), code);
    }
  });

  it("leaves the former or the next state, whole, at any call that its power is cut at", async (test) => {
    const place = await temporaryDirectory(test);
    const program = await bundleFixture(place, "state-replacer");
    const directory = await prepared(join(place, "state"));
    const said = join(place, "said");
    const output = openSync(said, "w");
    const { calls, points, states, ended } = await watchRun({
      library: compileKillAt(place),
      directory,
      note: () => readFileSync(said, "utf8"),
      start: (environment) =>
        new Promise<number | null>((resolve) => {
          const stdio = ["ignore", output, "inherit"] as const;
          const child = spawn(process.execPath, [program, directory], {
            env: { ...process.env, ...environment },
            stdio: [...stdio],
          });
          child.once("close", resolve);
        }),
    }).finally(() => closeSync(output));
    assert.equal(ended, 0);
    assert.ok(calls.length > 20, `only ${calls.length} calls were seen`);
    const sides = { former: 0, next: 0 };
    for (const { where, note, put: putState } of states) {
      const left = join(place, "left");
      putState(left);
      await finishReplacement(left);
      const found = await filesIn(left);
      const isNext = found["users.json"] === next["users.json"];
      assert.deepEqual(found, withLock(isNext ? next : former), where);
      if (note !== "") assert.ok(isNext, `${where}: it was decided`);
      sides[isNext ? "next" : "former"] += 1;
      await rm(left, { recursive: true });
    }
    assert.ok(sides.former > 0 && sides.next > 10, JSON.stringify(sides));
    test.diagnostic(
      `${states.length} different states of ${points} points at ${calls.length} calls: ${JSON.stringify(sides)}`,
    );
  });
});
