import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { offer } from "../../../lab/publisher/offers.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { FoundTarget } from "../../../src/tuf/client.ts";
import { Downloads, type FetchOrder } from "../../../src/updates/download/downloads.ts";
import type { FetchPlan } from "../../../src/updates/facts/updater-options.ts";
import { binary, rules } from "../example-releases.ts";

const full = new StewardError("storage_full", "The disk is full.");
const cut = new StewardError("update_server_unreachable", "The line is cut.");
const slow = new StewardError("update_too_slow", "Too few bytes arrive.");

function downloading(
  available: { rules: typeof rules | null; binary: typeof binary | null } = { rules, binary },
) {
  const set = {
    staged: [] as string[],
    inUse: [] as string[],
    fetched: [] as string[],
    kept: [] as (readonly string[])[],
    removed: [] as (readonly string[])[],
    told: [] as object[],
    events: [] as [string, object][],
    pauses: [] as number[],
    takesPatches: () => true,
    fetch: async (_: string, __: FetchPlan): Promise<void> => undefined,
  };
  const options = {
    record: { read: () => ({ available }) },
    payloads: {
      takesPatches: () => set.takesPatches(),
      staged: async () => set.staged,
      fetch: async ({ id }: { id: string }, how: FetchPlan) => {
        set.fetched.push(id);
        await set.fetch(id, how);
      },
      keepOnly: async (ids: readonly string[]) => void set.kept.push(ids),
      remove: async (ids: readonly string[]) => void set.removed.push(ids),
    },
    notify: (...event: [string, object]) => void set.events.push(event),
    random: () => 0.5,
    timers: {
      after: (seconds: number, call: () => void) => {
        set.pauses.push(seconds);
        const turn = setImmediate(call);
        return () => clearImmediate(turn);
      },
    },
  };
  const progress = { report: (one: object) => void set.told.push(one) };
  const downloads = new Downloads(options as never, progress as never, () => set.inUse);
  const controller = new AbortController();
  const targets = new Map<string, FoundTarget>([rules, binary].map(({ id }) => [id, offer()]));
  const fetchAll = (change: Partial<FetchOrder> = {}) =>
    downloads.fetchAll({
      ...{ targets, repository: {} as never, signal: controller.signal, isConsistentSnapshot: true },
      ...{ patches: [], dispensable: [] },
      isWanted: () => true,
      ...change,
    });
  return Object.assign(set, { downloads, fetchAll, controller });
}

describe("downloads", () => {
  it("are of what is found and wanted and not here, rules first", async () => {
    const set = downloading();
    assert.deepEqual(await set.fetchAll(), null);
    assert.deepEqual(set.fetched, [rules.id, binary.id]);
    assert.deepEqual([set.downloads.isStaged(rules.id), set.downloads.isStaged("other")], [true, false]);
    await set.fetchAll();
    assert.equal(set.fetched.length, 2, "they are here");
    const named = ({ id, kind, name, version }: typeof rules) => ({ release_id: id, kind, name, version });
    assert.deepEqual(set.events, [
      ["update.staged", named(rules)],
      ["update.staged", named(binary)],
    ]);
    const unwanted = downloading();
    await unwanted.fetchAll({ isWanted: ({ kind }) => kind === "binary" });
    assert.deepEqual(unwanted.fetched, [binary.id]);
    const gone = downloading();
    await gone.fetchAll({ targets: new Map([[rules.id, offer()]]) });
    assert.deepEqual(gone.fetched, [rules.id]);
    const none = downloading({ rules: null, binary: null });
    await none.fetchAll({ isWanted: () => assert.fail("there is nothing to want") });
    assert.deepEqual(none.fetched, []);
  });

  it("leave the payloads of releases in force only where a patch could begin with them", async () => {
    const slot = (...ids: string[]) => ({ good: ids.map((id) => ({ id })) });
    const journal = { slots: { rules: slot("old", "rules"), binary: slot("binary") } } as never;
    const set = downloading();
    set.takesPatches = () => assert.fail("nothing is here for which it would matter");
    assert.deepEqual(set.downloads.formers(journal), []);
    set.takesPatches = () => true;
    set.staged = ["old", "rules", "binary", "next"];
    await set.downloads.load();
    assert.deepEqual(set.downloads.formers(journal), ["rules", "binary"], "no check has looked yet");
    set.downloads.patchesFound([{ from: "0".repeat(128) } as never]);
    assert.deepEqual(set.downloads.formers(journal), ["rules", "binary"]);
    set.takesPatches = () => false;
    assert.deepEqual(set.downloads.formers(journal), []);
    set.takesPatches = () => true;
    set.downloads.patchesFound([]);
    assert.deepEqual(set.downloads.formers(journal), []);
  });

  it("take the place of a former payload on a full disk, and of nothing else", async () => {
    const set = downloading({ rules, binary: null });
    set.staged = ["former"];
    await set.downloads.load();
    let freed = false;
    set.fetch = async () => {
      if (!freed) {
        freed = true;
        throw full;
      }
    };
    assert.deepEqual(await set.fetchAll({ dispensable: ["former", "absent"] }), null);
    assert.deepEqual([set.removed, set.fetched], [[["former"]], [rules.id, rules.id]]);
    const other = downloading({ rules, binary: null });
    other.staged = ["former"];
    await other.downloads.load();
    other.fetch = () => Promise.reject(full);
    assert.deepEqual(await other.fetchAll(), full);
    assert.deepEqual([other.removed, other.fetched], [[], [rules.id]]);
  });

  it("are under way by name, with what has come of them", async () => {
    const set = downloading({ rules, binary: null });
    const seen: unknown[] = [];
    set.fetch = async (_, { onProgress, isConsistentSnapshot }) => {
      onProgress(7);
      seen.push(set.downloads.downloading(), isConsistentSnapshot);
    };
    await set.fetchAll({ isConsistentSnapshot: false });
    assert.deepEqual(seen, [{ kind: "rules", name: "base", version: "1.2.0" }, false]);
    assert.equal(set.downloads.downloading(), null);
    const of = (done_bytes: number) => ({
      ...{ phase: "downloading", release_id: rules.id, name: "base", done_bytes, total_bytes: 10 },
    });
    assert.deepEqual(set.told, [of(0), of(7)]);
  });

  it("that fail keep no other one back; the first failure is given, and each is told once for its reason", async () => {
    const set = downloading();
    set.fetch = (id) => Promise.reject(id === rules.id ? full : cut);
    assert.deepEqual(await set.fetchAll(), full);
    assert.deepEqual([set.downloads.failureOf(rules.id), set.downloads.failureOf(binary.id)], [full, cut]);
    assert.equal(set.downloads.downloading(), null);
    await set.fetchAll();
    const codes = () => set.events.map(([type, details]) => [type, (details as { code?: string }).code]);
    assert.deepEqual(codes(), [
      ["update.download_failed", "storage_full"],
      ["update.download_failed", "update_server_unreachable"],
    ]);
    const { id: release_id, kind, name, version } = rules;
    assert.deepEqual(set.events[0]?.[1], {
      ...{ release_id, kind, name, version, code: "storage_full", detail: "The disk is full." },
    });
    set.fetch = (id) => (id === rules.id ? Promise.reject(cut) : Promise.resolve());
    assert.deepEqual(await set.fetchAll(), cut);
    assert.deepEqual(codes().slice(2), [
      ["update.download_failed", "update_server_unreachable"],
      ["update.staged", undefined],
    ]);
    assert.equal(set.downloads.failureOf(binary.id), null);
  });

  it("that are cut go on within seconds, as long as each try gets further: twenty cuts are four minutes", async () => {
    const set = downloading({ rules, binary: null });
    let done = 0;
    set.fetch = async (_, { onProgress }) => {
      onProgress(done);
      done += 65_536;
      onProgress(done);
      if (set.fetched.length <= 20) throw set.fetched.length % 2 === 0 ? cut : slow;
    };
    assert.deepEqual(await set.fetchAll(), null);
    assert.deepEqual([set.fetched.length, set.downloads.isStaged(rules.id)], [21, true]);
    assert.deepEqual(set.pauses, Array(20).fill(10));
    const found = set.events.map(([type]) => type);
    assert.deepEqual(found, ["update.staged"]);
  });

  it("that get no further than before are left to the schedule, also those that begin anew each time or creep", async () => {
    for (const [reached, tries] of [
      [[0], 1],
      [[500_000, 500_000], 2],
      [[500_000, 565_535], 2],
      [[500_000, 565_536, 565_536], 3],
    ] as const) {
      const set = downloading({ rules, binary: null });
      set.fetch = async (_, { onProgress }) => {
        onProgress(0);
        onProgress(reached[set.fetched.length - 1] ?? 0);
        throw cut;
      };
      assert.deepEqual(await set.fetchAll(), cut);
      assert.equal(set.fetched.length, tries);
    }
  });

  it("that fail otherwise are not tried again at once, however far they got", async () => {
    const set = downloading({ rules, binary: null });
    set.fetch = async (_, { onProgress }) => {
      onProgress(1_000_000);
      throw full;
    };
    assert.deepEqual(await set.fetchAll(), full);
    assert.equal(set.fetched.length, 1);
    const busy = new StewardError(cut.code, "Later.", { details: { retryAfterSeconds: 60 } });
    set.fetch = async (_, { onProgress }) => {
      onProgress(2_000_000);
      throw busy;
    };
    assert.deepEqual(await set.fetchAll(), busy);
    assert.equal(set.fetched.length, 2);
  });

  it("that pause are ended on purpose like others", async () => {
    const set = downloading({ rules, binary: null });
    const reason = new Error("stopped");
    set.fetch = async (_, { onProgress }) => {
      onProgress(1_000_000);
      setImmediate(() => set.controller.abort(reason));
      throw cut;
    };
    await assert.rejects(set.fetchAll(), reason);
    assert.equal(set.fetched.length, 1);
  });

  it("are kept with those that the installer uses, and the failures of others are forgotten", async () => {
    const set = downloading();
    set.fetch = () => Promise.reject(full);
    await set.fetchAll();
    set.inUse = ["used"];
    set.staged = ["used"];
    await set.downloads.keepOnly([rules.id]);
    assert.deepEqual(set.kept, [[rules.id, "used"]]);
    assert.deepEqual([set.downloads.failureOf(rules.id), set.downloads.failureOf(binary.id)], [full, null]);
    assert.equal(set.downloads.isStaged("used"), true);
  });

  it("are dropped where they are here, and the disk is looked at again", async () => {
    const set = downloading();
    set.staged = ["a", "b"];
    await set.downloads.load();
    await set.downloads.drop(["c"]);
    assert.deepEqual(set.removed, []);
    set.staged = ["b"];
    await set.downloads.drop(["a", "c"]);
    assert.deepEqual(set.removed, [["a"]]);
    assert.deepEqual([set.downloads.isStaged("a"), set.downloads.isStaged("b")], [false, true]);
  });
});
