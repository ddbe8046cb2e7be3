import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "node:test";
import { makeReadOnly, makeWritable, type PrivateMount } from "../../lab/state/private-mount.ts";
import { keptFiles, onDisk, open } from "../../lab/state/state-directory.ts";
import type { StewardError } from "../../src/contract/errors.ts";
import type { State } from "../../src/programs/agent/state.ts";
import { takeLock } from "../../src/store/files/lock.ts";
import { itOnMount, kindOf } from "./fixture.ts";
import { openStateAt } from "./opened-state.ts";

describe("state that is opened on a read-only disk", () => {
  itOnMount("begins where nothing was written, accounts first as soon as it can", async (_, mount) => {
    mount.run(makeReadOnly);
    const state = await openStateAt(mount.seen);
    assert.deepEqual(state.users.read(), { accounts: [] });
    assert.deepEqual(troubles(state).slice(0, 2), ["users", "settings"]);
    mount.run(makeWritable);
    // A document without the accounts would look like state that has lost them, if the start were cut short now.
    await state.settings.save();
    assert.deepEqual(await documentsOn(mount), []);
    await state.users.save();
    assert.deepEqual(await documentsOn(mount), ["users.json"]);
    await state.close();
    await state.disk.look();
    assert.deepEqual(troubles(state), []);
    assert.ok((await documentsOn(mount)).includes("settings.json"), "settings are on the disk");
  });

  itOnMount("is migrated in memory, and its new form written when that is possible", async (_, mount) => {
    const former = '{"level": 3, "__internal__": {"migrations": {"version": "1.0.0"}}}';
    await writeFile(join(mount.seen, "lamp.json"), former);
    mount.run(makeReadOnly);
    const lamp = await open(mount.seen, lampKind);
    assert.deepEqual(lamp.read(), { brightness: 30 });
    assert.equal(await readFile(join(mount.seen, "lamp.json"), "utf8"), former);
    mount.run(makeWritable);
    await lamp.close();
    assert.equal((await onDisk(mount.seen, "lamp.json")).brightness, 30);
  });

  itOnMount("keeps a damaged file until it can be set aside", async (_, mount) => {
    const good = '{"brightness": 40, "__internal__": {"migrations": {"version": "2.0.0"}}}';
    await writeFile(join(mount.seen, "lamp.json"), "{ torn");
    await writeFile(join(mount.seen, "lamp.good.json"), good);
    mount.run(makeReadOnly);
    const lamp = await open(mount.seen, lampKind);
    assert.deepEqual(lamp.read(), { brightness: 40 });
    assert.deepEqual(await keptFiles(mount.seen, "lamp"), []);
    mount.run(makeWritable);
    await lamp.close();
    const [kept = ""] = await keptFiles(mount.seen, "lamp");
    assert.equal(await readFile(join(mount.seen, kept), "utf8"), "{ torn");
    assert.equal((await onDisk(mount.seen, "lamp.json")).brightness, 40);
  });

  itOnMount("keeps what it found then for the next start", async (_, mount) => {
    await (await openStateAt(mount.seen)).close();
    await writeFile(join(mount.seen, "settings.json"), "{ torn");
    mount.run(makeReadOnly);
    const state = await openStateAt(mount.seen);
    mount.run(makeWritable);
    await state.settings.save();
    await state.disk.look();
    await state.close();
    const next = await openStateAt(mount.seen);
    const found = next.register.findings().map(({ document }) => document);
    assert.deepEqual(found, ["settings"]);
    await next.close();
  });

  itOnMount("is locked against other writers, also without a lock file", async (_, mount) => {
    mount.run(makeReadOnly);
    const lock = await takeLock(mount.seen);
    mount.run(makeWritable);
    await assert.rejects(takeLock(mount.seen), ({ code }: StewardError) => code === "state_locked");
    await lock.release();
    await (await takeLock(mount.seen)).release();
  });
});

/** Format 1 had `level` from 0 to 10; 2 has `brightness` from 0 to 100. */
const lampKind = kindOf<{ brightness: number }>(
  "lamp",
  "2.0.0",
  { brightness: { type: "integer" } },
  {
    defaults: { brightness: 50 },
    migrations: {
      "2.0.0": (lamp) => {
        lamp.set("brightness", Number(lamp.get("level")) * 10);
        lamp.delete("level");
      },
    },
  },
);

function troubles({ checks }: State): string[] {
  return checks.filter(({ trouble }) => trouble() !== null).map(({ name }) => name);
}

async function documentsOn(mount: PrivateMount): Promise<string[]> {
  return (await readdir(mount.seen)).filter((name) => name.endsWith(".json") && !name.includes(".good."));
}
