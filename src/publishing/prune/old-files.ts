import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Targets } from "../../tuf/metadata.ts";
import { namesIn, readIfThere, removeFile } from "../files.ts";
import { hashedPath } from "../release-entry.ts";
import { releaseRoles } from "../roles.ts";
import type { State } from "../state.ts";
import type { Workspace } from "../workspace.ts";

/** A file in public/ that no device asks for any more. */
export interface OldFile {
  /** Below public/. */
  readonly path: string;
  readonly bytes: number;
}

/** Roots stay: a device follows them one by one, however old the one is that it knows. */
const versionedRoles = ["snapshot", "targets", ...releaseRoles] as const;

/**
 * The files that only an expired timestamp leads to: metadata whose successor has been there for longer than a timestamp is
 * valid, and payloads that none of the others names. A file that was copied counts as new.
 */
export async function oldFiles(workspace: Workspace, state: State): Promise<readonly OldFile[]> {
  const names = await namesIn(workspace.metadata);
  const old = await oldMetadata(workspace, state, names);
  const named = await namedPayloads(
    workspace,
    names.filter((name) => !old.includes(name)),
  );
  for (const role of releaseRoles) addPaths(named, state.next[role]?.signed.targets ?? {});
  const payloads = (await namesIn(workspace.targets, true)).filter(
    (path) => isPayload.test(path) && !named.has(path),
  );
  const paths = [
    ...old.map((name) => join("metadata", name)),
    ...payloads.map((path) => join("targets", path)),
  ];
  const found: OldFile[] = [];
  for (const path of paths) found.push({ path, bytes: (await stat(join(workspace.public, path))).size });
  return found;
}

/** Removes them; those of other programs are never among them. */
export async function removeOldFiles(workspace: Workspace, files: readonly OldFile[]): Promise<void> {
  for (const { path } of files) await removeFile(join(workspace.public, path));
}

/** `<SHA-512>.<name>`, as `hashedPath` makes it. */
const isPayload = /(?:^|\/)[0-9a-f]{128}\.[^/]+$/;

async function oldMetadata(
  { metadata, periods, now }: Workspace,
  { published }: State,
  names: readonly string[],
): Promise<string[]> {
  const oldest = now().getTime() - periods.timestamp * 1_000;
  const old: string[] = [];
  for (const role of versionedRoles) {
    const present = published[role]?.signed.version ?? 0;
    const versions = names
      .flatMap((name) => new RegExp(`^(\\d{1,15})\\.${role}\\.json$`).exec(name)?.[1] ?? [])
      .map(Number)
      .sort((one, other) => one - other);
    for (const [index, version] of versions.entries()) {
      const successor = versions[index + 1];
      // Later ones than the present are those of an interrupted publish, which may continue with them.
      if (successor === undefined || successor > present) continue;
      const { mtimeMs } = await stat(join(metadata, `${successor}.${role}.json`));
      if (mtimeMs < oldest) old.push(`${version}.${role}.json`);
    }
  }
  return old;
}

/** Paths below targets/ that these metadata files name. */
async function namedPayloads({ metadata }: Workspace, names: readonly string[]): Promise<Set<string>> {
  const named = new Set<string>();
  for (const name of names.filter((one) => /^\d+\.(targets|rules|binary)\.json$/.test(one))) {
    const bytes = (await readIfThere(join(metadata, name))) ?? new Uint8Array();
    const { signed } = JSON.parse(Buffer.from(bytes).toString("utf8")) as { signed: Targets };
    addPaths(named, signed.targets);
  }
  return named;
}

function addPaths(named: Set<string>, targets: Targets["targets"]): void {
  for (const [path, { hashes }] of Object.entries(targets))
    for (const hash of Object.values(hashes)) named.add(hashedPath(path, hash));
}
