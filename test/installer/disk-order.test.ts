import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createReleaseHost, type SimulatedReleaseHost } from "../../lab/simulated/release-host.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { openJournal } from "../../src/installer/files/journal-store.ts";
import { conformLinks } from "../../src/installer/files/links.ts";
import { pathsOf, usualDirectories } from "../../src/installer/files/release-directories.ts";
import { emptyJournal, type KnownRelease, type Slot } from "../../src/releases/release-journal.ts";

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
    assert.ok(
      seen.some(({ current, previous }) => current === null && previous === old.id),
      "there was no moment with the way back alone",
    );
    assert.ok(!seen.some(({ current, previous }) => current !== null && previous === null));
  });

  it("both lead to the release that runs while another is installed: the guard never runs the one on trial", async () => {
    const next = release("3", "3.0.0");
    const trial = { release: next, phase: "installing", undo: null } as NonNullable<Slot["trial"]>;
    const at = async (change: Partial<NonNullable<Slot["trial"]>>) => {
      const host = createReleaseHost();
      const onTrial = { ...slot, trial: { ...trial, ...change } };
      await conformLinks(host.files, directories, { kind: "binary", slot: onTrial });
      return links(host);
    };
    assert.deepEqual(await at({}), { current: present.id, previous: present.id });
    for (const phase of ["activating", "confirming"] as const)
      assert.deepEqual(await at({ phase }), { current: next.id, previous: present.id }, phase);
    const undo = {} as NonNullable<NonNullable<Slot["trial"]>["undo"]>;
    assert.deepEqual(await at({ phase: "reactivating", undo }), {
      current: present.id,
      previous: present.id,
    });
  });
});

describe("the release journal", () => {
  it("is what it was, also in memory, when it cannot be written", async () => {
    const host = createReleaseHost();
    const journal = await openJournal(host.files, directories, noVersions);
    await journal.update((now) => ({ ...now, sequence: 1 }));
    host.beforeEach = (operation) => {
      if (operation === "write") throw new StewardError("storage_full", "The disk is full.");
    };
    const change = journal.update((now) => ({ ...now, sequence: 2 }));
    await assert.rejects(change, { code: "storage_full" });
    assert.equal(journal.read().sequence, 1);
    host.beforeEach = () => undefined;
    await journal.update((now) => ({ ...now, sequence: now.sequence + 1 }));
    assert.equal(journal.read().sequence, 2);
    assert.equal((await openJournal(host.files, directories, noVersions)).read().sequence, 2);
  });

  it("is read as it was while it is being written", async () => {
    const host = createReleaseHost();
    const journal = await openJournal(host.files, directories, noVersions);
    let during = -1;
    host.beforeEach = (operation) => {
      if (operation === "write") during = journal.read().sequence;
    };
    await journal.update((now) => ({ ...now, sequence: 1 }));
    assert.equal(during, 0);
  });
});
