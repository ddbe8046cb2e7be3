import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { offer } from "../../../lab/publisher/offers.ts";
import { reading } from "../../../lab/publisher/refreshing.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createPayloadStore } from "../../../src/updates/download/payload-store.ts";

const places = { releases: "/releases", trust: "/trust" };
const [one, two, three] = ["1".repeat(32), "2".repeat(32), "3".repeat(32)];

async function stored(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const put = async (folder: string, ...names: string[]) => {
    await mkdir(join(directory, folder), { recursive: true });
    for (const name of names) await writeFile(join(directory, folder, name), "");
  };
  const left = async () =>
    (await Promise.all(["staged", "downloads"].map((name) => readdir(join(directory, name))))).flat();
  const fetched: unknown[] = [];
  const store = createPayloadStore({
    directory,
    freeSpace: async () => 7,
    installation: places,
    caps: { payloadBytes: 9 },
    unpackPatch: async () => undefined,
    loadFetch: async () => async (options) => {
      fetched.push(options);
      options.onProgress?.({ receivedBytes: 5, totalBytes: 8 });
      return { id: one, path: "", lengthBytes: 8 };
    },
  });
  return { directory, put, left, store, fetched };
}

describe("the payloads of a device", () => {
  it("are none where nothing was ever downloaded, and there is nothing to remove", async (test) => {
    const { store } = await stored(test);
    assert.deepEqual(await store.staged(), []);
    await store.keepOnly([]);
    await store.remove([one]);
  });

  it("are those that lie here whole", async (test) => {
    const { store, put } = await stored(test);
    await put(
      "staged",
      `${one}.tar.gz`,
      `${two}.tar.gz.part`,
      `x${two}.tar.gz`,
      "short.tar.gz",
      `${"A".repeat(32)}.tar.gz`,
    );
    await put("downloads", `${three}.part`);
    assert.deepEqual(await store.staged(), [one]);
  });

  it("are not made up where their folder cannot be read", async (test) => {
    const { store, directory } = await stored(test);
    await writeFile(join(directory, "staged"), "");
    await assert.rejects(store.staged(), { code: "ENOTDIR" });
    await rm(join(directory, "staged"));
    await writeFile(join(directory, "downloads"), "");
    await assert.rejects(store.keepOnly([]), { code: "ENOTDIR" });
  });

  it("are kept or removed by their ids, whole or in parts", async (test) => {
    const { store, put, left } = await stored(test);
    await put("staged", `${one}.tar.gz`, `${two}.tar.gz`);
    await put("downloads", `${one}.part`, `${one}.json`, `${three}.part`);
    await store.remove([one]);
    assert.deepEqual(await left(), [`${two}.tar.gz`, `${three}.part`]);
    await put("downloads/folder");
    await store.keepOnly([two]);
    assert.deepEqual(await left(), [`${two}.tar.gz`]);
    await store.keepOnly([]);
    assert.deepEqual(await left(), []);
  });

  it("are fetched with the limits of this device, and tell how much has come", async (test) => {
    const { store, fetched, directory } = await stored(test);
    const target = offer();
    const { repository } = reading(new SignedRepository({ now: new Date("2026-11-20T12:00:00Z") }));
    const told: number[] = [];
    const { signal } = new AbortController();
    const how = { repository, signal, isConsistentSnapshot: false };
    await store.fetch(
      { id: one, target, patches: [] },
      { ...how, onProgress: (bytes) => void told.push(bytes) },
    );
    const [{ freeSpace, onProgress, installation, patching: _, ...rest }] = fetched as [
      Record<string, unknown>,
    ];
    assert.deepEqual(rest, { ...how, directory, caps: { payloadBytes: 9 }, found: target });
    assert.equal(await (freeSpace as () => Promise<number>)(), 7);
    assert.equal(installation, places);
    assert.deepEqual([typeof onProgress, told], ["function", [5]]);
  });
});
