import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { compileKillAt, watchRun } from "../../../lab/crashes/power-cut.ts";
import { bundleFixture } from "../../../lab/state/state-directory.ts";
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

const sorted = (files: Files): Files => Object.fromEntries(Object.entries(files).sort());

/** A state directory with another state in its place. */
async function prepared(directory: string): Promise<string> {
  await put(directory, { ...former, ".lock": "1 agent\n" });
  await makeReplacementPlace(directory);
  await put(replacementPlace(directory).state, next);
  return directory;
}

describe("the replacement of a state directory", () => {
  it("is dropped where it was not decided", async () => {
    const directory = await prepared(scratchDirectory());
    assert.equal(await finishReplacement(directory), false);
    assert.deepEqual(await filesIn(directory), sorted({ ...former, ".lock": "1 agent\n" }));
    assert.equal(await finishReplacement(directory), false, "there is none");
  });

  it("leaves nothing of the former state but the lock", async () => {
    const directory = await prepared(scratchDirectory());
    await decideReplacement(directory);
    assert.equal(isReplacementDecided(directory), true);
    assert.equal(await finishReplacement(directory), true);
    assert.deepEqual(await filesIn(directory), sorted({ ...next, ".lock": "1 agent\n" }));
    assert.equal(isReplacementDecided(directory), false);
  });

  it("that was decided can be dropped until it is carried out", async () => {
    const directory = await prepared(scratchDirectory());
    await decideReplacement(directory);
    await dropReplacement(directory);
    assert.equal(await finishReplacement(directory), false);
    assert.deepEqual(await filesIn(directory), sorted({ ...former, ".lock": "1 agent\n" }));
  });

  it("awaits files of root's, and is dropped where one is another at the next start", async () => {
    const sha256 = createHash("sha256").update("from root").digest("hex");
    for (const [text, isDone] of [
      ["from root", true],
      ["other", false],
      [null, false],
    ] as const) {
      const place = scratchDirectory();
      const awaited = join(place, "steward.json");
      if (text !== null) await writeFile(awaited, text);
      const directory = join(place, "state");
      await prepared(directory);
      await decideReplacement(directory, [{ path: awaited, sha256 }]);
      assert.equal(await finishReplacement(directory), isDone, String(text));
      const expected = sorted({ ...(isDone ? next : former), ".lock": "1 agent\n" });
      assert.deepEqual(await filesIn(directory), expected);
    }
  });

  it("is refused as damage where its decision cannot be read, so that nothing is deleted", async () => {
    const directory = await prepared(scratchDirectory());
    await decideReplacement(directory);
    await writeFile(join(directory, ".restore.json"), "{");
    await assert.rejects(finishReplacement(directory), { code: "state_damaged" });
    assert.equal((await filesIn(directory))["users.json"], "former users");
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
      assert.deepEqual(found, sorted({ ...(isNext ? next : former), ".lock": "1 agent\n" }), where);
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
