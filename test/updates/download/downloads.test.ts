import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { offer } from "../../../lab/publisher/offers.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { Downloads, type FetchOrder } from "../../../src/updates/download/downloads.ts";
import type { FetchPlan } from "../../../src/updates/facts/updater-options.ts";
import { binary, rules } from "../fixture.ts";

const full = new StewardError("storage_full", "The disk is full.");
const cut = new StewardError("update_server_unreachable", "The line is cut.");
const slow = new StewardError("update_too_slow", "Too few bytes arrive.");
const rulesOnly = { rules, binary: null };

async function downloading(
  available: { rules: typeof rules | null; binary: typeof binary | null },
  ...staged: string[]
) {
  const set = {
    staged,
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
  await downloads.load();
  const controller = new AbortController();
  const fetchAll = (change: Partial<FetchOrder> = {}) =>
    downloads.fetchAll({
      ...{ repository: {} as never, signal: controller.signal, isConsistentSnapshot: true, patches: [] },
      ...{ targets: new Map([rules, binary].map(({ id }) => [id, offer()])), dispensable: [] },
      isWanted: () => true,
      ...change,
    });
  return Object.assign(set, { downloads, fetchAll, controller });
}

describe("downloads", () => {
  it("are of what is not here, rules first, each told once", async () => {
    const { fetchAll, fetched, downloads, events } = await downloading({ rules, binary });
    assert.deepEqual(await fetchAll(), null);
    await fetchAll();
    assert.deepEqual(fetched, [rules.id, binary.id]);
    assert.deepEqual([downloads.isStaged(rules.id), downloads.isStaged("other")], [true, false]);
    const named = ({ id, kind, name, version }: typeof rules) => ({ release_id: id, kind, name, version });
    assert.deepEqual(
      events,
      [rules, binary].map((release) => ["update.staged", named(release)]),
    );
  });

  it("are of what is found and wanted", async () => {
    const targets = new Map([[rules.id, offer()]]);
    const never = () => assert.fail("there is nothing to want");
    for (const [available, order, expected] of [
      [{ rules, binary }, { isWanted: ({ kind }) => kind === "binary" }, [binary.id]],
      [{ rules, binary }, { targets }, [rules.id]],
      [{ rules: null, binary: null }, { isWanted: never }, []],
    ] as [Parameters<typeof downloading>[0], Partial<FetchOrder>, string[]][]) {
      const { fetchAll, fetched } = await downloading(available);
      await fetchAll(order);
      assert.deepEqual(fetched, expected);
    }
  });

  it("leave the payloads of releases in force only where a patch could begin with them", async () => {
    const slot = (...ids: string[]) => ({ good: ids.map((id) => ({ id })) });
    const journal = { slots: { rules: slot("old", "rules"), binary: slot("binary") } } as never;
    const nothing = await downloading({ rules, binary });
    nothing.takesPatches = () => assert.fail("nothing is here for which it would matter");
    assert.deepEqual(nothing.downloads.formers(journal), []);
    const set = await downloading({ rules, binary }, "old", "rules", "binary", "next");
    assert.deepEqual(set.downloads.formers(journal), ["rules", "binary"], "no check has looked yet");
    for (const [patches, takesPatches, kept] of [
      [[{ from: "0".repeat(128) }], true, ["rules", "binary"]],
      [[{ from: "0".repeat(128) }], false, []],
      [[], true, []],
    ] as const) {
      set.takesPatches = () => takesPatches;
      set.downloads.patchesFound(patches as never);
      assert.deepEqual(set.downloads.formers(journal), kept);
    }
  });

  it("take the place of a former payload on a full disk, and of nothing else", async () => {
    for (const [dispensable, failure, removed, fetched] of [
      [["former", "absent"], null, [["former"]], [rules.id, rules.id]],
      [[], full, [], [rules.id]],
    ] as const) {
      const set = await downloading(rulesOnly, "former");
      set.fetch = () => (set.removed.length > 0 ? Promise.resolve() : Promise.reject(full));
      assert.deepEqual(await set.fetchAll({ dispensable }), failure);
      assert.deepEqual([set.removed, set.fetched], [removed, fetched]);
    }
  });

  it("are under way by name, with what has come of them", async () => {
    const set = await downloading(rulesOnly);
    const seen: unknown[] = [];
    set.fetch = async (_, { onProgress, isConsistentSnapshot }) => {
      onProgress(7);
      seen.push(set.downloads.downloading(), isConsistentSnapshot);
    };
    await set.fetchAll({ isConsistentSnapshot: false });
    assert.deepEqual(seen, [{ kind: "rules", name: "base", version: "1.2.0" }, false]);
    assert.equal(set.downloads.downloading(), null);
    const of = { phase: "downloading", release_id: rules.id, name: "base", total_bytes: 10 };
    assert.deepEqual(
      set.told,
      [0, 7].map((done_bytes) => ({ ...of, done_bytes })),
    );
  });

  it("that fail keep no other one back; the first failure is given, and each is told once for its reason", async () => {
    const set = await downloading({ rules, binary });
    const codes = () => set.events.map(([type, details]) => [type, (details as { code?: string }).code]);
    set.fetch = (id) => Promise.reject(id === rules.id ? full : cut);
    for (const _ of [1, 2]) assert.deepEqual(await set.fetchAll(), full);
    assert.deepEqual([set.downloads.failureOf(rules.id), set.downloads.failureOf(binary.id)], [full, cut]);
    assert.equal(set.downloads.downloading(), null);
    const { id: release_id, kind, name, version } = rules;
    const why = { code: "storage_full", detail: "The disk is full." };
    assert.deepEqual(set.events[0]?.[1], { release_id, kind, name, version, ...why });
    set.fetch = (id) => (id === rules.id ? Promise.reject(cut) : Promise.resolve());
    assert.deepEqual(await set.fetchAll(), cut);
    assert.deepEqual(codes(), [
      ["update.download_failed", "storage_full"],
      ["update.download_failed", "update_server_unreachable"],
      ["update.download_failed", "update_server_unreachable"],
      ["update.staged", undefined],
    ]);
    assert.equal(set.downloads.failureOf(binary.id), null);
  });

  it("that are cut go on within seconds, as long as each try gets further: twenty cuts are four minutes", async () => {
    const set = await downloading(rulesOnly);
    let done = 0;
    set.fetch = async (_, { onProgress }) => {
      onProgress(done);
      done += 65_536;
      onProgress(done);
      if (set.fetched.length <= 20) throw set.fetched.length % 2 === 0 ? cut : slow;
    };
    assert.deepEqual(await set.fetchAll(), null);
    assert.deepEqual([set.fetched.length, set.downloads.isStaged(rules.id)], [21, true]);
    assert.deepEqual([set.pauses, set.events.map(([type]) => type)], [Array(20).fill(10), ["update.staged"]]);
  });

  const busy = new StewardError(cut.code, "Later.", { details: { retryAfterSeconds: 60 } });
  for (const [what, failure, reached, tries] of [
    ["that get nowhere", cut, [0], 1],
    ["that begin anew each time", cut, [500_000, 500_000], 2],
    ["that creep", cut, [500_000, 565_535], 2],
    ["that get as far as before", cut, [500_000, 565_536, 565_536], 3],
    ["that fill the disk", full, [1_000_000], 1],
    ["that the server puts off", busy, [1_000_000], 1],
  ] as const)
    it(`${what} are left to the schedule`, async () => {
      const set = await downloading(rulesOnly);
      set.fetch = async (_, { onProgress }) => {
        onProgress(0);
        onProgress(reached[set.fetched.length - 1] ?? 0);
        throw failure;
      };
      assert.deepEqual(await set.fetchAll(), failure);
      assert.equal(set.fetched.length, tries);
    });

  it("that pause are ended on purpose like others", async () => {
    const set = await downloading(rulesOnly);
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
    const set = await downloading({ rules, binary });
    set.fetch = () => Promise.reject(full);
    await set.fetchAll();
    set.inUse = set.staged = ["used"];
    await set.downloads.keepOnly([rules.id]);
    assert.deepEqual(set.kept, [[rules.id, "used"]]);
    assert.deepEqual([set.downloads.failureOf(rules.id), set.downloads.failureOf(binary.id)], [full, null]);
    assert.equal(set.downloads.isStaged("used"), true);
  });

  it("are dropped where they are here, and the disk is looked at again", async () => {
    const set = await downloading({ rules, binary }, "a", "b");
    await set.downloads.drop(["c"]);
    set.staged = ["b"];
    await set.downloads.drop(["a", "c"]);
    assert.deepEqual(set.removed, [["a"]]);
    assert.deepEqual([set.downloads.isStaged("a"), set.downloads.isStaged("b")], [false, true]);
  });
});
