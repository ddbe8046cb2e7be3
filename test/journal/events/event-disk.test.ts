import assert from "node:assert/strict";
import fs, { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { allEvents, change, filesOf, openLog, refusal } from "../../../lab/state/event-directory.ts";
import { replaced, watchDisk } from "../../../lab/state/watched-disk.ts";

/** Opens for which it is so fail with this code. */
function failOpens(test: TestContext, code: string, isMeant: (path: string) => boolean): void {
  const { own, put } = replaced(test, fs.promises, "open");
  put(async (...given) => {
    if (isMeant(String(given[0]))) throw Object.assign(new Error(`${code}: refused`), { code });
    return own(...given);
  });
}

describe("the record of events on its disk", () => {
  it("has a change there, and the refusals before it, before it is acknowledged", async (test) => {
    const calls = watchDisk(test);
    const { events } = await openLog(test);
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await events.record(change("anna"));
    const synced = calls.filter(({ what, path }) => what === "sync" && path.endsWith(".jsonl"));
    assert.deepEqual(
      synced.map(({ path }) => basename(path).split("-")[0]),
      ["refusals", "changes"],
    );
  });

  it("is given the reserve for changes, and none for refusals, which strangers cause", async (test) => {
    let releases = 0;
    const release = async () => {
      releases += 1;
      return false;
    };
    const reserve = { release, isGivenUp: () => false, refill: async () => true };
    const { events } = await openLog(test, { reserve });
    failOpens(test, "ENOSPC", (path) => path.endsWith(".jsonl"));
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([releases, events.trouble()?.code], [0, "events_not_written"]);
    await events.record(change("anna"));
    assert.equal(releases, 1);
  });

  for (const log of ["changes", "refusals"] as const)
    it(`does not use the number of a damaged line again: ${log}`, async (test) => {
      const { events, directory } = await openLog(test);
      await events.record(change("anna"));
      events.refuse(refusal("192.0.2.7"), "invalid_credentials");
      await events.close();
      const file = (await filesOf(directory)).find(({ name }) => name.startsWith(log));
      assert.ok(file);
      await writeFile(file.path, (await readFile(file.path, "utf8")).replace("}", ")"));
      const next = await openLog(test, { directory });
      await next.events.record(change("berta"));
      assert.equal((await allEvents(next.events)).at(-1)?.seq, log === "changes" ? 4 : 3);
    });

  it("takes a segment over once, also where the disk would not confirm it the first time", async (test) => {
    const { events, directory } = await openLog(test, { totalBytes: 90_000 });
    const kept = join(directory, "kept-changes.jsonl");
    let first: number | undefined;
    let failures = 0;
    // The second file in that place, which has taken the place of the first by then.
    failOpens(test, "EIO", (path) => {
      const present = statSync(kept, { throwIfNoEntry: false })?.ino;
      if (path !== directory || failures > 0 || present === undefined) return false;
      first ??= present;
      if (present === first) return false;
      failures += 1;
      return true;
    });
    for (let index = 0; index < 150; index += 1) await events.record(change(`user-${index}`));
    assert.equal(failures, 1);
    const { total } = await events.list({ limit: 1 });
    const all = await allEvents(events);
    assert.deepEqual([total, new Set(all.map(({ seq }) => seq)).size], [all.length, all.length]);
  });
});
