import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { draftTargets } from "../../src/publishing/add.ts";
import { stagePayload } from "../../src/publishing/payload-store.ts";
import { targetPath } from "../../src/publishing/release-entry.ts";
import { readState } from "../../src/publishing/state.ts";
import { keysOf, publishAll, rulesEntry, siteIn } from "../publisher/site.ts";
import { type HostileTar, writeHostileTar } from "./hostile-tars.ts";

/** A repository whose releases are validly signed, whatever is in them. */
export interface PublishedTars {
  /** The directory that a web server or a stick would carry. */
  readonly repository: string;
  /** The repository has the payload of this name at this path. */
  readonly payload: (name: string) => string;
}

/** Publishes each tar as the rules of its name, version 1.0.0, unjudged: as a thief of the keys would. */
export async function publishTars(
  scratch: string,
  tars: readonly Omit<HostileTar, "refusal">[],
): Promise<PublishedTars> {
  const site = await siteIn(scratch, {});
  const { workspace } = site;
  const keys = await keysOf(workspace);
  for (const tar of tars) {
    const path = join(scratch, `${tar.name}.tar.gz`);
    await writeHostileTar(path, tar);
    const entry = rulesEntry({ name: tar.name });
    const release = { path: targetPath(entry), file: await stagePayload(workspace, path), entry };
    const state = await readState(workspace);
    await draftTargets(workspace, state, "rules", { keys, drafted: [release] });
    rmSync(path);
  }
  await publishAll(site);
  const repository = join(site.directory, "public");
  const directory = join(repository, "targets", "stable", "rules");
  const files = readdirSync(directory);
  return {
    repository,
    payload: (name) => {
      const file = files.find((one) => one.endsWith(`.${name}-1.0.0.tar.gz`));
      assert.ok(file, `${name} is not published`);
      return join(directory, file);
    },
  };
}
