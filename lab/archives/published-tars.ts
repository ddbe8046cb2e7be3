import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { draftTargets } from "../../src/publishing/add.ts";
import { stagePayload } from "../../src/publishing/payload-store.ts";
import { targetPath } from "../../src/publishing/release-entry.ts";
import { readState } from "../../src/publishing/state.ts";
import { keysOf, publishAll, rulesEntry, siteIn } from "../publisher/site.ts";
import { type HostileTar, writeHostileTar } from "./hostile-tars.ts";

export type PublishedTars = Awaited<ReturnType<typeof publishTars>>;

/** Publishes each tar as the rules of its name, version 1.0.0, unjudged and validly signed: as a thief of the keys would. */
export async function publishTars(scratch: string, tars: readonly Omit<HostileTar, "refusal">[]) {
  const site = await siteIn(scratch, {});
  const { workspace } = site;
  const keys = await keysOf(workspace);
  for (const tar of tars) {
    const path = join(scratch, `${tar.name}.tar.gz`);
    await writeHostileTar(path, tar);
    const entry = rulesEntry({ name: tar.name });
    const release = { path: targetPath(entry), file: await stagePayload(workspace, path), entry };
    await draftTargets(workspace, await readState(workspace), "rules", { keys, drafted: [release] });
    rmSync(path);
  }
  await publishAll(site);
  const directory = join(workspace.targets, "stable", "rules");
  const files = readdirSync(directory);
  return {
    /** The path of the payload of this name, as a web server or a stick would carry it. */
    payload: (name: string): string => {
      const file = files.find((one) => one.endsWith(`.${name}-1.0.0.tar.gz`));
      assert.ok(file, `${name} is not published`);
      return join(directory, file);
    },
  };
}
