import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { idOf, open, type SimulatedInstaller } from "../../../lab/installer/simulated-installer.ts";
import { createReleaseHost, type SimulatedReleaseHost } from "../../../lab/simulated/release-host.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { openJournal } from "../../../src/installer/files/journal-store.ts";
import { conformLinks } from "../../../src/installer/files/links.ts";
import { pathsOf, usualDirectories } from "../../../src/installer/files/release-directories.ts";
import { emptyJournal, type KnownRelease, type Slot } from "../../../src/releases/release-journal.ts";

const directories = usualDirectories;
const paths = pathsOf(directories);
const noVersions = { rules: null, binary: null };
const release = (digit: string, version: string): KnownRelease => ({
  ...{ id: digit.repeat(32), name: "pump", version },
});
const [old, present] = [release("1", "1.0.0"), release("2", "2.0.0")];

/** Which release each link leads to. */
function links({ entries }: SimulatedReleaseHost): { current: string | null; previous: string | null } {
  const at = (path: string): string | null => {
    const entry = entries.get(path);
    return entry !== undefined && entry !== "directory" && "link" in entry ? entry.link.slice(-32) : null;
  };
  return { current: at(paths.current("binary")), previous: at(paths.previous("binary")) };
}

describe("the links of a kind", () => {
  const slot: Slot = { ...emptyJournal.slots.binary, good: [old, present] };

  it("are made with the way back first, so that a cut in between never leaves a release without it", async () => {
    const host = createReleaseHost();
    const seen: ReturnType<typeof links>[] = [];
    host.beforeEach = () => void seen.push(links(host));
    await conformLinks(host.files, directories, { kind: "binary", slot });
    assert.deepEqual(links(host), { current: present.id, previous: old.id });
    const back = seen.filter(({ previous }) => previous === old.id);
    assert.ok(back[0]?.current === null, "there was no moment with the way back alone");
    assert.ok(!seen.some(({ current, previous }) => current !== null && previous === null));
  });

  it("both lead to the release that runs while another is installed: the guard never runs the one on trial", async () => {
    const next = release("3", "3.0.0");
    const undo = {} as NonNullable<NonNullable<Slot["trial"]>["undo"]>;
    for (const [phase, isBack, current] of [
      ["installing", false, present],
      ["activating", false, next],
      ["confirming", false, next],
      ["reactivating", true, present],
    ] as const) {
      const host = createReleaseHost();
      const trial = { release: next, phase, undo: isBack ? undo : null } as NonNullable<Slot["trial"]>;
      await conformLinks(host.files, directories, { kind: "binary", slot: { ...slot, trial } });
      assert.deepEqual(links(host), { current: current.id, previous: present.id }, phase);
    }
  });
});

describe("the release journal", () => {
  it("is what it was, also in memory, while it is written and when it cannot be", async () => {
    const host = createReleaseHost();
    const journal = await openJournal(host.files, directories, noVersions);
    const next = () => journal.update((now) => ({ ...now, sequence: now.sequence + 1 }));
    let during = -1;
    host.beforeEach = (operation) => {
      if (operation === "write") during = journal.read().sequence;
    };
    await next();
    assert.deepEqual([during, journal.read().sequence], [0, 1]);
    host.beforeEach = (operation) => {
      if (operation === "write") throw new StewardError("storage_full", "The disk is full.");
    };
    await assert.rejects(next(), { code: "storage_full" });
    assert.equal(journal.read().sequence, 1);
    host.beforeEach = () => undefined;
    await next();
    assert.equal((await openJournal(host.files, directories, noVersions)).read().sequence, 2);
  });
});

/** Two releases, and a journal that says nothing. */
async function withBadJournal(): Promise<SimulatedInstaller> {
  const side = open();
  await side.apply("1.0.0");
  await side.apply("1.1.0");
  side.host.entries.set(pathsOf(side.directories).journal, { text: "{ half" });
  return side;
}

describe("a journal that cannot be read", () => {
  it("is kept, and made anew of what the links say", async () => {
    const side = await withBadJournal();
    await side.guard();
    const found = side.slot().good.map(({ version }) => version);
    assert.deepEqual(found, ["1.0.0", "1.1.0"]);
    assert.deepEqual([side.at("current"), side.at("previous")], ["1.1.0", "1.0.0"]);
    assert.ok(side.host.entries.has(`${pathsOf(side.directories).journal}.bad`), "the bad one is gone");
  });

  it("is made anew without a release whose label does not say what it is", async () => {
    const labels = [
      "{ half",
      "null",
      '{"name":"pump"}',
      '{"name":"pump","version":1}',
      '{"name":7,"version":"1"}',
    ];
    for (const label of [...labels, null]) {
      const side = await withBadJournal();
      const path = pathsOf(side.directories).label(idOf("1.0.0"));
      if (label === null) side.host.entries.delete(path);
      else side.host.entries.set(path, { text: label });
      await side.guard();
      assert.deepEqual(side.slot().good, [{ id: idOf("1.1.0"), name: "pump", version: "1.1.0" }]);
    }
  });

  it("is left alone where the disk failed, and not the journal", async () => {
    const side = open();
    await side.apply("1.0.0");
    const { files } = side.host;
    const full = new StewardError("storage_unwritable", "The disk failed.");
    Object.assign(side.host, { files: { ...files, read: () => Promise.reject(full) } });
    await assert.rejects(side.guard(), full);
    Object.assign(side.host, { files });
    assert.equal(side.slot().good.length, 1);
  });
});
