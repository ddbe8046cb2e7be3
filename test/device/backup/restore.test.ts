import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { heldTimers } from "../../../lab/host/timers.ts";
import { temporaryDirectory } from "../../../lab/simulated/virtual-host.ts";
import { errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import type { Upload } from "../../../src/contract/types.ts";
import { type Manifest, manifestPath } from "../../../src/device/backup/manifest.ts";
import { createRestorer, type RestorerOptions } from "../../../src/device/backup/restore.ts";
import { archiveOf } from "../../../src/store/archives/write-tar.ts";
import { isReplacementDecided, replacementPlace } from "../../../src/store/files/replacement.ts";
import { reserveNeedsBytes } from "../../../src/store/files/reserve.ts";

const at = new Date("2026-11-28T01:30:00Z");
const contents = { "state/users.json": "{}\n", "state/tls/key.pem": "k\n", "etc/steward.json": '{"x":1}\n' };
const files = Object.entries(contents).map(([path, text]) => ({
  path,
  bytes: text.length,
  sha256: createHash("sha256").update(text).digest("hex"),
}));
const stateBytes = contents["state/users.json"].length + contents["state/tls/key.pem"].length;
const sound: Manifest = {
  ...{ format: "steward-backup", version: 1, made_at: at.toISOString(), steward: "1.4.0", product: "edge" },
  device: { id: "0".repeat(32), name: "Pump", host_name: "box", time_zone: "UTC" },
  ...{ releases: [{ kind: "rules", version: "3" }], files, left_out: ["/etc/steward/link"] },
};
const key = { passphrase: "seven wet horses" };

const itself = (bytes: AsyncIterable<Uint8Array>) => bytes as AsyncGenerator<Uint8Array>;

/** A device whose encryption is none, so that its backups are archives. */
async function device(given: Partial<RestorerOptions> = {}) {
  const [directory, hostDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
  const timers = heldTimers();
  const calls: string[] = [];
  const note = (name: string): void => void calls.push(name);
  const restorer = createRestorer({
    ...{ directory, hostDirectory, version: "1.5.2", product: "edge" },
    timers: {
      after: (seconds, call) => {
        note(`wait ${seconds}`);
        return timers.after(seconds, call);
      },
    },
    age: { seal: itself, open: itself },
    freeSpace: async () => Number.MAX_SAFE_INTEGER,
    presentUsers: () => 3,
    refuseOnTrial: () => note("trial"),
    adopt: async (state) => {
      note(`adopt ${(await readdir(state)).sort().join()}`);
      return { users: 2, two_factor: 1, tokens: 0, warnings: ["adopted"] };
    },
    takeNames: async ({ host_name }) => [`no name ${host_name}`],
    startAgain: () => note("start"),
    ...given,
  });
  const send = async (manifest: object = sound, lengthBytes?: number) => {
    const all = Object.entries({ [manifestPath]: JSON.stringify(manifest), ...contents });
    const archive = archiveOf(
      all.map(([path, text]) => ({ path, bytes: Buffer.byteLength(text), content: [Buffer.from(text)] })),
      at,
    );
    return restorer.receive(Object.assign(archive, { lengthBytes }) as unknown as Upload);
  };
  const received = join(replacementPlace(directory).directory, "backup.age");
  return { ...restorer, directory, hostDirectory, timers, calls, send, received };
}

const codeOf = async (work: Promise<unknown>) => (await errorFrom(work))?.code;

describe("a backup that has arrived", () => {
  it("is kept for its owner alone, in place of an earlier one, and not for longer than a quarter of an hour", async () => {
    const { send, received, timers } = await device();
    const { bytes } = await send();
    assert.equal((await stat(received)).mode & 0o777, 0o600);
    assert.equal((await readFile(received)).length, bytes);
    await send();
    assert.equal(timers.pending, 1);
    timers.runOut();
    await until("it is gone", () => !existsSync(received));
  });

  it("needs room beside what the agent needs for its own changes", async () => {
    const room = { bytes: 0 };
    const { send, restore, received } = await device({ freeSpace: async () => room.bytes });
    room.bytes = reserveNeedsBytes + 99_999;
    assert.equal(await codeOf(send(sound, 100_000)), "storage_full");
    assert.equal(existsSync(received), false);
    room.bytes += 1;
    await send(sound, 100_000);
    // The state that is unpacked needs room as well; files of root's are not unpacked.
    room.bytes = reserveNeedsBytes + stateBytes - 1;
    assert.equal(await codeOf(restore({ ...key })), "storage_full");
    room.bytes += 1;
    assert.equal((await restore({ ...key, check: true })).done, false);
  });
});

describe("the restore of a backup", () => {
  it("says what it would do, and does it when it is asked to: the state in its place, and a start", async () => {
    const { send, restore, directory, calls, timers, received } = await device();
    await send();
    const checked = await restore({ ...key, check: true });
    assert.deepEqual(checked, {
      ...{ made_at: sound.made_at, steward: "1.4.0", device: sound.device, releases: ["rules 3"] },
      ...{ lost_users: 3, left_out: [...sound.left_out], as_replacement: false, done: false },
      host_files: [{ path: "steward.json", sha256: files[2]?.sha256, differs: true }],
      ...{ users: 2, two_factor: 1, tokens: 0, warnings: ["adopted"] },
    });
    assert.deepEqual([isReplacementDecided(directory), existsSync(received)], [false, true]);
    assert.equal(existsSync(replacementPlace(directory).state), false);
    assert.equal((await restore(key)).done, true);
    const adopted = ["trial", "adopt tls,users.json"];
    assert.deepEqual(calls, ["wait 900", ...adopted, "wait 900", ...adopted, "start", "wait 900"]);
    const { state } = replacementPlace(directory);
    assert.equal(await readFile(join(state, "users.json"), "utf8"), "{}\n");
    assert.equal((await stat(join(state, "users.json"))).mode & 0o777, 0o600);
    assert.equal((await stat(join(state, "tls"))).mode & 0o777, 0o700);
    assert.equal(isReplacementDecided(directory), true);
    assert.equal(timers.pending, 0, "what is decided is not dropped");
  });

  it("waits for root's files where it is asked to, and goes on once they are the backup's", async () => {
    const { send, restore, hostDirectory, directory } = await device();
    await send();
    // Another restore has left it: the place is emptied first.
    const { state } = replacementPlace(directory);
    await mkdir(state, { recursive: true });
    await writeFile(join(state, "left.json"), "{}");
    for (const [text, isDone] of [
      ["other", false],
      [contents["etc/steward.json"], true],
    ] as const) {
      await writeFile(join(hostDirectory, "steward.json"), text);
      const { done, host_files } = await restore({ ...key, with_host_files: true });
      assert.deepEqual(
        [done, host_files[0]?.differs, isReplacementDecided(directory)],
        [isDone, !isDone, isDone],
      );
    }
    assert.deepEqual((await readdir(state)).sort(), ["tls", "users.json"]);
  });

  it("as a replacement takes the names of the other device, and says what it could not take", async () => {
    const { send, restore } = await device({ product: "other" });
    await send();
    const { warnings, as_replacement } = await restore({ ...key, as_replacement: true });
    const ofProduct = 'The backup is of the product "edge", and this device is "other".';
    assert.deepEqual([as_replacement, warnings], [true, [ofProduct, "adopted", "no name box"]]);
  });

  for (const [what, request, manifest, why] of [
    ["without a key", {}, sound, /^Give either passphrase or identity/],
    ["with two keys", { ...key, identity: "AGE-SECRET-KEY-1" }, sound, /^Give either passphrase or identity/],
    ["of a later major version", key, { ...sound, steward: "2.0.0" }, /Update this device first/],
    ["of an earlier major version", key, { ...sound, steward: "0.9.0" }, /with a release of that time/],
  ] as const)
    it(`${what} is refused, and the backup stays for another try`, async () => {
      const { send, restore, received, directory, calls } = await device();
      await send(manifest);
      assert.match((await errorFrom(restore(request)))?.message ?? "", why);
      assert.deepEqual([existsSync(received), isReplacementDecided(directory)], [true, false]);
      assert.ok(!calls.includes("start"), calls.join());
    });

  it("is refused where none has come, where a release is on trial, and where the state cannot be adopted", async () => {
    assert.equal(await codeOf((await device()).restore(key)), "not_found");
    const refuse = (): never => {
      throw Object.assign(new Error("no"), { code: "no" });
    };
    for (const given of [{ refuseOnTrial: refuse }, { adopt: async () => refuse() }]) {
      const { send, restore, received, directory } = await device(given);
      await send();
      await assert.rejects(restore(key), /^Error: no$/);
      assert.deepEqual([existsSync(received), isReplacementDecided(directory)], [true, false]);
      assert.equal(existsSync(replacementPlace(directory).state), false);
    }
  });
});
