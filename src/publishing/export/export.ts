import { stat } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import { readSignedPayload } from "../../releases/signed-payload.ts";
import { readIfThere, takenError } from "../files.ts";
import type { SigningKey } from "../keys/private-keys.ts";
import { locatePayload } from "../payload-store.ts";
import type { PlannedRelease } from "../prune/prune-plan.ts";
import { hashedPath } from "../release-entry.ts";
import { isReleaseRole, noRoleFiles, roleNames } from "../roles.ts";
import { readPublishedState, rfc3339Seconds, type State, stateOf } from "../state.ts";
import { verifyAsClients } from "../verify.ts";
import { type Workspace, writeConfig } from "../workspace.ts";
import { type ArchivedFile, writeArchive } from "./archive.ts";
import { type LongMetadata, signLongMetadata } from "./long-metadata.ts";
import { type DeviceKind, neededReleases } from "./needed-releases.ts";

export interface ExportRequest extends DeviceKind {
  /** The archive to write. */
  readonly file: string;
  /** Seconds for which a timestamp is signed for the archive; undefined: it gets the published one. */
  readonly seconds?: number | undefined;
  readonly keys: readonly SigningKey[];
}

export type ExportResult = Awaited<ReturnType<typeof exportRepository>>;

/**
 * Writes an archive of what one kind of device needs: the published metadata, and the payloads that it may choose. With
 * `seconds` a timestamp of its own is signed, which never comes to public/; its version is noted first, so that metadata
 * which are published later are newer to every device. Throws `repository_conflict` where nothing is published or the file
 * exists, `not_found` without a release, and the errors that devices would have.
 */
export async function exportRepository(given: Workspace, request: ExportRequest) {
  const { file } = request;
  if ((await stat(file).catch(() => null)) !== null) throw takenError(file, "already exists");
  const now = given.now();
  // One moment for all of it: what is signed in the next second would not last as long as was asked.
  const workspace = { ...given, now: () => now };
  // Without drafts: an archive has what devices may know.
  const state = stateOf((await readPublishedState(workspace, "export")).published, noRoleFiles);
  const releases = neededReleases(state, request, now.getTime() / 1_000);
  if (releases.length === 0)
    throw new StewardError(
      "not_found",
      `No published release is for such a device. See: steward-publisher inspect ${workspace.directory}. No archive was written.`,
    );
  const metadata = await metadataFor(workspace, state, request);
  const { remarks } = await verifyAsClients(
    workspace,
    new Map(metadata.signed.map(({ name, bytes }) => [name, bytes])),
    {
      published: state.published,
      next: metadata.next,
      drafted: [],
      refusal: "No archive was written, because devices would refuse it",
    },
  );
  const files = [...(await metadataFiles(workspace, metadata)), ...(await payloadFiles(workspace, releases))];
  const bytes = await writeArchive(file, files, now);
  /** Target paths of the payloads in it. */
  const paths = releases.map(({ path }) => path);
  return { file, bytes, releases: paths, ...validity(workspace, metadata, { releases, request }), remarks };
}

async function metadataFor(
  workspace: Workspace,
  state: State,
  { seconds, keys }: ExportRequest,
): Promise<LongMetadata> {
  const signed = seconds === undefined ? null : await signLongMetadata(workspace, state, { keys, seconds });
  if (signed === null) return { next: state.next, signed: [] };
  const versions = signed.signed.map(({ role, version }) => [role, version] as const);
  await writeConfig({ ...workspace, exported: { ...workspace.exported, ...Object.fromEntries(versions) } });
  return signed;
}

/** Every root, which devices follow one by one, and one file of each other role. */
async function metadataFiles(
  { metadata }: Workspace,
  { next, signed }: LongMetadata,
): Promise<readonly ArchivedFile[]> {
  const roots = Array.from(
    { length: next.root?.signed.version ?? 0 },
    (_, index) => `${index + 1}.root.json`,
  );
  const others = roleNames.flatMap((role) => {
    if (role === "root" || next[role] === null) return [];
    return role === "timestamp" ? ["timestamp.json"] : [`${next[role].signed.version}.${role}.json`];
  });
  const files: ArchivedFile[] = [];
  for (const name of [...roots, ...others]) {
    const content =
      signed.find((one) => one.name === name)?.bytes ?? (await readIfThere(join(metadata, name)));
    if (content !== null) files.push({ name: `metadata/${name}`, content });
  }
  return files;
}

async function payloadFiles(
  workspace: Workspace,
  releases: readonly PlannedRelease[],
): Promise<readonly ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  for (const { path, file } of releases) {
    const place = await locatePayload(workspace, path, file);
    const name = `targets/${hashedPath(path, readSignedPayload(file).nameHash)}`;
    files.push({ name, content: { path: place, file } });
  }
  return files;
}

function validity(
  { now }: Workspace,
  { next, signed }: LongMetadata,
  { releases, request: { seconds } }: { releases: readonly PlannedRelease[]; request: ExportRequest },
) {
  const kinds = new Set(releases.map(({ kind }) => kind));
  const dates = roleNames.flatMap((role) => {
    const expires = next[role]?.signed.expires;
    // A kind without a payload in the archive does not limit it.
    return expires === undefined || (isReleaseRole(role) && !kinds.has(role)) ? [] : [{ role, expires }];
  });
  const [first] = dates.toSorted((one, other) => Date.parse(one.expires) - Date.parse(other.expires));
  if (first === undefined)
    throw new StewardError("internal_error", "The metadata of the archive are missing.");
  const wanted = rfc3339Seconds(now().getTime() + (seconds ?? 0) * 1_000);
  return {
    /** Metadata that were signed for the archive only; empty: it has the published ones. */
    signed: signed.map(({ role, version }) => ({ role, version })),
    /** RFC 3339: from then on devices refuse it, because the metadata of `limited_by` have expired. */
    good_until: first.expires,
    limited_by: first.role,
    /** It is not good for as long as was asked. */
    is_shorter: Date.parse(first.expires) < Date.parse(wanted),
  };
}
