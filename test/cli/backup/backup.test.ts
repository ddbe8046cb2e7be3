import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { runSteward, startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { isOfChange, watchDisk } from "../../../lab/state/watched-disk.ts";
import { backupName, removeOlder } from "../../../src/cli/backup/rotation.ts";
import { writeBackup } from "../../../src/cli/backup/write-backup.ts";

const scratch = scratchDirectory();
const keyFile = join(scratch, "key");
execFileSync("age-keygen", ["-o", keyFile], { stdio: "ignore" });
const recipient = execFileSync("age-keygen", ["-y", keyFile]).toString().trim();
const passphrase = "seven wet horses at the old pier";

const listed = (path: string): string[] =>
  execFileSync("tar", ["-t"], { input: execFileSync("age", ["-d", "-i", keyFile, path], { maxBuffer: 1e8 }) })
    .toString()
    .trim()
    .split("\n");

const folder = (name: string): string => {
  mkdirSync(join(scratch, name));
  return join(scratch, name);
};
const named = (path: string): string => basename(path);
const inOrder = (directory: string): string[] => readdirSync(directory).sort();

describe("steward backup", () => {
  const agent = ofSuite(() => startAgentProcess());
  const run = (words: readonly string[], input = "") =>
    runSteward(["--socket", agent.socket, "backup", ...words], { input });

  it("writes a file that only its owner reads, and that opens with age", async () => {
    const place = folder("one");
    const path = join(place, "edge.age");
    const { code, stdout, stderr } = await run([path, "--recipient", recipient]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /edge\.age: [\d.]+ KiB, opens with its recipient's key\.\n$/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(place), ["edge.age"]);
    assert.equal(listed(path)[0], "backup.json");
  });

  it("never replaces what is no file", async () => {
    const place = folder("directory");
    const { code, stderr } = await run([place, "--recipient", recipient, "--force"]);
    assert.deepEqual([code, statSync(place).isDirectory()], [1, true]);
    assert.match(stderr, /is not a file, and was not replaced/);
  });

  it("leaves a file that is there, unless it is to be replaced", async () => {
    const path = join(folder("there"), "edge.age");
    writeFileSync(path, "precious");
    const words = [path, "--recipient", recipient];
    const { code, stderr } = await run(words);
    assert.deepEqual([code, readFileSync(path, "utf8")], [1, "precious"]);
    assert.match(stderr, /already exists and was not replaced/);
    assert.equal((await run([...words, "--force"])).code, 0);
    assert.equal(listed(path)[0], "backup.json");
  });

  it("takes a passphrase from a pipe, and keeps no file for one that is empty, short or easy to guess", async () => {
    const place = folder("passphrase");
    const path = join(place, "edge.age");
    for (const [input, expected] of [
      ["", /empty/],
      ["\n", /empty/],
      ["elevenchars\n", /at least 12/],
      ["dragon monkey baseball\n", /The passphrase is only two or three common words/],
    ] as const) {
      const { code, stderr } = await run([path, "--passphrase-stdin"], input);
      assert.equal(code, 6, stderr);
      assert.match(stderr, expected);
    }
    assert.deepEqual(readdirSync(place), []);
    assert.equal((await run([path, "--passphrase-stdin"], `${passphrase}\n`)).code, 0);
    assert.match(readFileSync(path, "latin1"), /^age-encryption\.org\/v1\n-> scrypt \S+ 16\n/);
  });

  it("names files by device and time in a directory, and reads recipients from a file as age does", async () => {
    const place = folder("many");
    const keys = join(scratch, "recipients");
    writeFileSync(keys, `# of the office\n\n  ${recipient}\n`);
    const kept = ["--to", place, "--keep", "2", "--recipients-file", keys, "-o", "json"];
    const { code, stdout } = await run(kept);
    assert.equal(code, 0);
    const { path, bytes, removed } = JSON.parse(stdout);
    assert.match(path, /\/many\/[A-Za-z0-9._-]+-\d{4}-\d\d-\d\dT\d{4}Z-[0-9a-f]{12}-1\.age$/);
    assert.deepEqual([statSync(path).size, removed], [bytes, []]);
    const device = named(path).replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    for (const name of [`${device}-2026-11-25T0130Z.age`, `${device}-2026-11-25T0130Z-001122334455-1.age`])
      writeFileSync(join(place, name), "another device's");
    const words = ["--to", place, "--keep", "1", "--recipient", recipient];
    const second = await run(words);
    assert.deepEqual(
      [second.stdout.includes(`${path}: deleted, since newer ones are kept.`), readdirSync(place).length],
      [true, 3],
      second.stdout,
    );
    assert.match(second.stdout, /-001122334455-1\.age: kept; another device's\.$/m);
    assert.match(second.stdout, /Z\.age: kept; no device id in its name, as from an earlier release/);
    writeFileSync(keys, "# none\n");
    assert.match((await run(["--to", place, "--recipients-file", keys])).stderr, /names no recipient/);
  });

  it("goes to standard output", async () => {
    const { code, stdout, stderr } = await run(["-", "--recipient", recipient]);
    assert.deepEqual([code, stderr], [0, "The backup is complete.\n"]);
    assert.match(stdout, /^age-encryption\.org\/v1\n-> X25519 /);
  });

  for (const [name, words, expected] of [
    ["without a place", ["--recipient", recipient], /either a FILE or a directory/],
    ["with two places", ["x.age", "--to", "."], /either a FILE or a directory/],
    ["without a key", [join(scratch, "x.age")], /needs a key/],
    ["with --keep alone", ["x.age", "--keep", "7"], /--keep goes with --to/],
    ["with --keep 0", ["--to", scratch, "--keep", "0"], /from 1 to 9999/],
  ] as const)
    it(`is a mistake of usage ${name}`, async () => {
      const { code, stderr } = await run(words);
      assert.equal(code, 2, stderr);
      assert.match(stderr, expected);
    });

  it("says so where the directory is absent, or no agent runs, and leaves nothing there", async () => {
    const place = folder("nothing");
    const absent = await run([join(place, "no/edge.age"), "--recipient", recipient]);
    assert.deepEqual([absent.code, /does not exist/.test(absent.stderr)], [3, true], absent.stderr);
    const words = ["--socket", join(scratch, "none.sock"), "backup", join(place, "edge.age")];
    const { code, stderr } = await runSteward([...words, "--recipient", recipient]);
    assert.equal(code, 8);
    assert.match(stderr, /agent is not running.*Start it/);
    assert.deepEqual(readdirSync(place), []);
  });
});

async function* pieces(count: number, bytes = 1): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(bytes, 7);
}
const mebibyte = 1024 * 1024;

describe("the file of a backup", () => {
  const write = (
    path: string,
    make: () => AsyncIterable<Uint8Array>,
    { isReplaced = false, signal = new AbortController().signal } = {},
  ) => writeBackup(path, isReplaced, async () => make(), signal);

  it("is not there where the disk is full, the agent breaks off, or a person interrupts", async (test) => {
    const mount = await mountPrivately(test, 2);
    if (typeof mount === "string") return test.skip(mount);
    const path = join(mount.seen, "edge.age");
    const full = write(path, () => pieces(8, mebibyte));
    await assert.rejects(full, { code: "storage_full", message: /disk is full: edge\.age was not written/ });
    const broken = async function* () {
      yield* pieces(1);
      throw new RangeError("broken off");
    };
    await assert.rejects(write(path, broken), /broken off/);
    const stop = new AbortController();
    const stopped = async function* () {
      yield* pieces(1);
      stop.abort();
      yield* pieces(1);
    };
    await assert.rejects(write(path, stopped, stop), { exitCode: 130 });
    assert.deepEqual(readdirSync(mount.seen), []);
    assert.equal(await write(path, () => pieces(1, mebibyte)), mebibyte);
    assert.deepEqual(readdirSync(mount.seen), ["edge.age"]);
  });

  it("has all of it on the disk under another name before it takes its own", async (test) => {
    const place = scratchDirectory();
    const path = join(place, "edge.age");
    const calls = watchDisk(test);
    const seen: string[] = [];
    const make = () => {
      seen.push(...readdirSync(place));
      return pieces(6);
    };
    assert.deepEqual([await write(path, make), statSync(path).size], [6, 6]);
    assert.match(seen.join(" "), /^\.edge\.age\.[0-9a-f]{12}\.tmp$/);
    assert.deepEqual(
      calls.filter(isOfChange).map((call) => `${call.what} ${basename(call.path)}`),
      [`sync ${seen}`, `sync ${seen}`, "rename edge.age", `sync ${basename(place)}`],
    );
  });

  for (const umask of [0o000, 0o027])
    it(`is closed to others also under umask ${umask.toString(8)}`, async (test) => {
      const path = join(scratchDirectory(), "edge.age");
      const former = process.umask(umask);
      test.after(() => process.umask(former));
      await write(path, () => pieces(1));
      assert.equal(statSync(path).mode & 0o777, 0o600);
    });

  for (const isReplaced of [false, true])
    it(`${isReplaced ? "replaces" : "leaves"} one that has appeared meanwhile`, async () => {
      const place = scratchDirectory();
      const path = join(place, "edge.age");
      let asked = 0;
      const make = () => {
        asked += 1;
        writeFileSync(path, "another's");
        return pieces(3);
      };
      const there = { exitCode: 1, message: /already exists and was not replaced/ };
      if (isReplaced) assert.equal(await write(path, make, { isReplaced }), 3);
      else {
        await assert.rejects(write(path, make), there);
        // Now it is there from the first, and nothing is asked for.
        await assert.rejects(write(path, make), there);
      }
      const state = [readdirSync(place), statSync(path).size, asked];
      assert.deepEqual(state, [["edge.age"], isReplaced ? 3 : 9, 1]);
    });

  const box = { name: "edge", id: "3f9a12c04b7d5566778899aabbccddee" };
  const other = { name: "edge", id: "00112233445566778899aabbccddeeff" };
  /** A backup at this time, as `steward backup --to DIRECTORY --keep KEEP` makes it. */
  const made = async (directory: string, device: typeof box, at: string, keep = 3) => {
    const path = join(directory, await backupName(directory, device, new Date(at)));
    writeFileSync(path, at);
    return { path, ...(await removeOlder(path, keep)) };
  };

  it("is named in plain characters by device, time, id and number, whatever the device is called", async () => {
    const place = folder("names");
    const at = new Date("2026-11-28T01:30:59.999Z");
    const ending = "-2026-11-28T0130Z-3f9a12c04b7d-1.age";
    for (const [name, plain] of [
      ["edge-7", "edge-7"],
      ["Kühlhaus Süd / 2", "Ku-hlhaus-Su-d-2"],
      ["../..", "device"],
    ] as const)
      assert.equal(await backupName(place, { ...box, name }, at), `${plain}${ending}`);
    assert.equal(await backupName(join(place, "absent"), box, at), `edge${ending}`);
    writeFileSync(join(place, "before-2025-11-28T0130Z-3f9a12c04b7d-41.age"), "");
    assert.match(await backupName(place, box, at), /-3f9a12c04b7d-42\.age$/);
  });

  it("takes no backup of another device of the same name", async () => {
    const place = folder("share");
    const theirs: string[] = [];
    for (const day of [1, 2, 3]) theirs.push((await made(place, other, `2026-11-0${day}T01:30Z`)).path);
    const own: string[] = [];
    for (const day of [1, 2, 3, 4, 5]) own.push((await made(place, box, `2026-11-0${day}T01:30Z`)).path);
    assert.deepEqual(inOrder(place), [...theirs, ...own.slice(2)].map(named).sort());
    const { left } = await made(place, box, "2026-11-06T01:30Z");
    assert.deepEqual([...new Set(left.map(({ why }) => why))], ["another device's"]);
  });

  const clocks: readonly (readonly [string, readonly string[]])[] = [
    ["was in the future for some days", ["2026-11-01", "2038-01-01", "2038-01-02", "2038-01-03"]],
    ["began in 1970 at one boot", ["2026-11-01", "2026-11-02", "1970-01-01"]],
    ["jumped in both directions", ["2038-01-01", "1970-01-01", "2026-11-01", "2099-01-01"]],
  ];
  for (const [what, before] of clocks)
    it(`goes by the order in which it was written where the clock ${what}`, async () => {
      const place = folder(what);
      const written: string[] = [];
      for (const day of [...before, "2026-11-04", "2026-11-05"])
        written.push((await made(place, box, `${day}T01:30Z`)).path);
      // As a program that copies files to another share leaves them.
      for (const name of readdirSync(place)) utimesSync(join(place, name), 0, 0);
      written.push((await made(place, { ...box, name: "renamed" }, "2026-11-06T01:30Z")).path);
      assert.deepEqual(inOrder(place), written.slice(-3).map(named).sort());
    });

  it("leaves what has no id or no content, and says so, and takes what a loss of power has left", async () => {
    const place = folder("others");
    const stays = [
      "edge-2026-11-25T0130Z.age",
      ".edge-2026-11-25T0130Z.age.0123456789ab.tmp",
      "edge-2026-11-25T0130Z-3f9a12c04b7d-1.age.txt",
      "edge-notes.age",
      ".edge-2026-11-25T0130Z-001122334455-1.age.0123456789ab.tmp",
      // Another `steward backup` of this device is about to write it.
      ".edge-2026-11-28T0130Z-3f9a12c04b7d-8.age.0123456789ab.tmp",
    ];
    const empty = "edge-2026-11-26T0130Z-3f9a12c04b7d-5.age";
    const unfinished = ".edge-2026-11-24T0130Z-3f9a12c04b7d-4.age.0123456789ab.tmp";
    for (const name of [...stays, empty, unfinished]) writeFileSync(join(place, name), "");
    const kept = "edge-2026-11-27T0130Z-3f9a12c04b7d-6.age";
    const old = "edge-2026-11-20T0130Z-3f9a12c04b7d-3.age";
    for (const name of [kept, old]) writeFileSync(join(place, name), "a backup");
    const latest = "edge-2026-11-28T0130Z-3f9a12c04b7d-8.age";
    writeFileSync(join(place, latest), "a backup");
    const { removed, left } = await removeOlder(join(place, latest), 2);
    assert.deepEqual(removed.map(named).sort(), [unfinished, old].sort());
    assert.deepEqual(inOrder(place), [...stays, empty, kept, latest].sort());
    assert.deepEqual(
      left.map(({ path, why }) => [named(path), why.slice(0, 12)]),
      [
        [stays[1], "no device id"],
        [stays[0], "no device id"],
        [empty, "not counted,"],
      ],
    );
  });
});
