import { execFileSync } from "node:child_process";
import type { TestContext } from "node:test";
import { add, keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { makeNewKeys, type NewKeys } from "../../src/publishing/new-keys.ts";
import type { ReleaseEntry } from "../../src/publishing/release-entry.ts";
import { type KeyChanges, renewRole } from "../../src/publishing/renew.ts";
import type { DraftedRole } from "../../src/publishing/roles.ts";

/** A repository whose publisher has published these releases; else rules 1.0.0. */
export async function publishedSite(
  test: TestContext,
  releases: readonly Partial<ReleaseEntry>[] = [{}],
): Promise<Site> {
  const site = await makeSite(test);
  for (const release of releases) await add(site, release);
  await publishAll(site);
  return site;
}

export const unchanged: KeyChanges = { add: {}, remove: {}, thresholds: {} };

/** As `steward-publisher renew ROLE --new-key …` does it. */
export async function renewed({ workspace }: Site, role: DraftedRole, wanted: Partial<NewKeys>) {
  const { changes, made } = await makeNewKeys(workspace, role, {
    ...{ roles: [], keepsOld: false, changes: unchanged, ...wanted },
  });
  const [first] = await renewRole(workspace, role, { keys: await keysOf(workspace), changes });
  return { made, keys: first?.keys ?? [] };
}

/** The paths of the files below with their hashes, so that nothing there changes unseen. */
export function filesIn(directory: string): Map<string, string> {
  const lines = execFileSync("find", [".", "-type", "f", "-exec", "sha256sum", "{}", "+"], {
    ...{ cwd: directory, encoding: "utf8" },
  }).matchAll(/^(\w+) {2}\.\/(.*)$/gm);
  return new Map([...lines].map(([, hash = "", path = ""]) => [path, hash]));
}
