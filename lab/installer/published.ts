import assert from "node:assert/strict";
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { fetchPayload } from "../../src/releases/download/payload.ts";
import { caps } from "../../src/tuf/caps.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import { ed25519Only } from "../../src/tuf/signatures.ts";
import { openServed } from "../publisher/served.ts";
import { addFile, publishAll, rulesEntry, siteIn } from "../publisher/site.ts";
import { type PackedRelease, packRelease, type ReleaseModel } from "./releases.ts";

export type Published = Awaited<ReturnType<typeof publishReleases>>;

/**
 * Publishes what `steward-publisher` publishes for the product "pump", one publication for each list, and lets the agent's
 * client fetch all of it each time. Below `directory`.
 */
export async function publishReleases(directory: string, publications: readonly (readonly ReleaseModel[])[]) {
  const trees = join(directory, "trees");
  const site = await siteIn(directory, { product: "pump" });
  const releases: PackedRelease[] = [];
  const stagedAt = (publication: number): string => join(directory, `agent-${publication}`);
  for (const [publication, models] of publications.entries()) {
    for (const model of models) {
      const packed = await packRelease(trees, model);
      const { kind, version } = model;
      const name = kind === "rules" ? "pump-rules" : "pump";
      await addFile(site, packed.file, rulesEntry({ kind, name, version, product: "pump" }));
      releases.push(packed);
    }
    await publishAll(site);
    const before = publication === 0 ? null : stagedAt(publication - 1);
    await fetchAll(join(site.directory, "public"), before, stagedAt(publication));
  }
  return {
    /** An administrator installs this file as the root of trust. */
    rootFile: join(site.directory, "public", "metadata", "1.root.json"),
    releases: releases as readonly PackedRelease[],
    /** An agent's directory of updates (metadata and staged payloads) as of the publication so numbered, from 0. */
    stagedAt,
    release: (kind: ReleaseModel["kind"], version: string): PackedRelease => {
      const found = releases.find((one) => one.kind === kind && one.version === version);
      assert.ok(found, `${kind} ${version} was never published`);
      return found;
    },
  };
}

/** Runs the whole client on a repository on a stick, as an agent does, and puts each payload where it is staged. */
async function fetchAll(open: string, before: string | null, directory: string): Promise<void> {
  if (before !== null) await cp(before, directory, { recursive: true });
  await mkdir(directory, { recursive: true });
  const { repository, close } = openServed({ url: pathToFileURL(open).href, caps });
  const files = await openMetadataFiles(join(directory, "metadata"));
  if (before === null) await files.write("root", await readFile(join(open, "metadata", "1.root.json")));
  const start = new Date();
  const refreshed = await refresh({ repository, files, caps, verifiers: ed25519Only, start });
  const { signal } = new AbortController();
  const common = { repository, directory, freeSpace, caps, signal, isConsistentSnapshot: true };
  for (const kind of ["rules", "binary"] as const)
    for (const found of await refreshed.list("stable", kind)) await fetchPayload({ ...common, found });
  close();
}
