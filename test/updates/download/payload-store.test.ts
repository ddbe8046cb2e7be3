import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { offer } from "../../../lab/publisher/offers.ts";
import { reading } from "../../../lab/publisher/refreshing.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createPayloadStore } from "../../../src/updates/download/payload-store.ts";

const installation = { releases: "/releases", trust: "/trust" };
const [one, two, three] = ["1".repeat(32), "2".repeat(32), "3".repeat(32)];

function stored() {
  const directory = scratchDirectory();
  const put = async (folder: string, ...names: string[]) => {
    await mkdir(join(directory, folder), { recursive: true });
    for (const name of names) await writeFile(join(directory, folder, name), "");
  };
  const left = async () =>
    (await Promise.all(["staged", "downloads"].map((name) => readdir(join(directory, name))))).flat();
  const fetched: Record<string, unknown>[] = [];
  const store = createPayloadStore({
    ...{ directory, installation, caps: { payloadBytes: 9 } },
    freeSpace: async () => 7,
    unpackPatch: async () => undefined,
    loadFetch: async () => async (options) => {
      fetched.push({ ...options });
      options.onProgress?.({ receivedBytes: 5, totalBytes: 8 });
      return { id: one, path: "", lengthBytes: 8 };
    },
  });
  return { directory, put, left, store, fetched };
}

describe("the payloads of a device", () => {
  it("are those that lie here whole, and none where nothing was ever downloaded", async () => {
    const { store, put } = stored();
    assert.deepEqual(await store.staged(), []);
    await store.keepOnly([]);
    await store.remove([one]);
    const others = [`${two}.tar.gz.part`, `x${two}.tar.gz`, "short.tar.gz", `${"A".repeat(32)}.tar.gz`];
    await put("staged", `${one}.tar.gz`, ...others);
    await put("downloads", `${three}.part`);
    assert.deepEqual(await store.staged(), [one]);
  });

  it("are not made up where their folder cannot be read", async () => {
    const { store, directory } = stored();
    await writeFile(join(directory, "staged"), "");
    await assert.rejects(store.staged(), { code: "ENOTDIR" });
    await rm(join(directory, "staged"));
    await writeFile(join(directory, "downloads"), "");
    await assert.rejects(store.keepOnly([]), { code: "ENOTDIR" });
  });

  it("are kept or removed by their ids, whole or in parts", async () => {
    const { store, put, left } = stored();
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

  it("are fetched with the limits of this device, and tell how much has come", async () => {
    const { store, fetched, directory } = stored();
    const target = offer();
    const { repository } = reading(new SignedRepository());
    const told: number[] = [];
    const how = { repository, signal: new AbortController().signal, isConsistentSnapshot: false };
    const onProgress = (bytes: number): void => void told.push(bytes);
    await store.fetch({ id: one, target, patches: [] }, { ...how, onProgress });
    const [{ freeSpace, onProgress: _, patching: __, ...rest } = {}] = fetched;
    assert.deepEqual(rest, { ...how, directory, installation, caps: { payloadBytes: 9 }, found: target });
    assert.equal(await (freeSpace as () => Promise<number>)(), 7);
    assert.deepEqual(told, [5]);
  });
});
