import { StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { installedVersions, withoutOvertaken } from "../../releases/journal-queries.ts";
import { listKinds, refusalOfKind } from "../../releases/kind-blockers.ts";
import { type NoRelease, type Release, readRelease } from "../../releases/release.ts";
import type { ReleaseJournal } from "../../releases/release-journal.ts";
import { type Device, type Floors, type InstalledVersions, select } from "../../releases/selection.ts";
import { caps } from "../../tuf/caps.ts";
import type { Refreshed } from "../../tuf/client.ts";
import { readMetadata } from "../../tuf/read-metadata.ts";
import type { AgentRepository } from "./agent-repository.ts";

/** The installer's facts about this device, only from root's own files. */
export interface DeviceFacts extends Pick<Device, "product" | "arch" | "agentVersion"> {
  /** The channels that releases may come from; null: any. */
  readonly channels: readonly string[] | null;
  /** Versions from the package, which count if nothing newer was applied. */
  readonly packaged: InstalledVersions;
}

export interface EligibilityFacts {
  readonly device: DeviceFacts;
  readonly journal: ReleaseJournal;
  readonly floors: Floors;
}

/** The requested release. `floors` are raised by every signed release, whether this one is eligible or not. */
export interface Verdict {
  readonly release: Release;
  readonly floors: Floors;
  /** The reason why it is not eligible, as the rest of a sentence that begins with its name; null: it is eligible. */
  readonly refusal: string | null;
}

/** Target paths under which one payload may be signed. */
const mostPaths = 16;

/** Decides whether the requested release is for this device. Throws `update_not_acceptable` if it is not signed, and the errors of the search. */
export async function judgeEligibility(
  id: string,
  { refreshed, repository }: { refreshed: Refreshed; repository: AgentRepository },
  by: EligibilityFacts,
): Promise<Verdict> {
  const releases = await releasesOf(id, refreshed, repository);
  const [first, ...others] = releases;
  if (first === undefined) throw notAcceptable(`The release ${id} is not signed.`);
  let verdict = await eligibilityOf(first, refreshed, by);
  // The same bytes may be signed in two channels: one eligible entry is enough.
  for (const other of others) {
    if (verdict.refusal === null) break;
    const next = await eligibilityOf(other, refreshed, { ...by, floors: verdict.floors });
    verdict = next.refusal === null ? next : { ...verdict, floors: next.floors };
  }
  return verdict;
}

/** `update_not_acceptable`. */
export function notAcceptable(message: string): StewardError {
  return new StewardError("update_not_acceptable", message);
}

async function eligibilityOf(
  release: Release,
  refreshed: Refreshed,
  { device, journal, floors }: EligibilityFacts,
): Promise<Verdict> {
  const { channels, packaged, ...facts } = device;
  const { channel } = release;
  if (channels !== null && !channels.includes(channel)) {
    const refusal = `belongs to the channel ${channel}, and the host file allows ${channels.join(", ") || "none"}`;
    return { release, floors, refusal };
  }
  const { targets, failures } = await listKinds(refreshed, channel);
  // All floors of its own kind must be known; a fault of the other kind does not matter (docs/design/updates.md, rule 5).
  const failure = failures[release.kind];
  if (failure !== null) throw failure;
  const selection = select(targets, {
    ...facts,
    channel,
    floors,
    installed: installedVersions(withoutOvertaken(journal, packaged), packaged),
    failed: failedOf(journal),
    // Held and deferred releases are only skipped unattended, and this one was requested.
    held: new Set(),
  });
  const isThis = ({ path }: { path: string }): boolean => path === release.target.path;
  const isAcceptable = selection.acceptable.some(({ target }) => isThis(target));
  const reason = selection.refused.find(isThis)?.reason ?? "is not in the repository";
  return { release, floors: selection.floors, refusal: isAcceptable ? null : reason };
}

/** The releases signed under this id. The agent's metadata give their paths; the client verifies each of them. */
async function releasesOf(id: string, refreshed: Refreshed, repository: AgentRepository): Promise<Release[]> {
  const releases: Release[] = [];
  let unreadable: NoRelease | null = null;
  let failure: StewardError | null = null;
  for (const path of await pathsNamed(id, refreshed, repository)) {
    const target = await refreshed.find(path).catch((error: unknown) => {
      failure ??= refusalOfKind(error);
      return null;
    });
    const read = target && readRelease(target);
    if (read && !("id" in read)) unreadable = read;
    else if (read?.id === id) releases.push(read);
  }
  if (releases.length === 0 && failure !== null) throw failure;
  if (releases.length === 0 && unreadable !== null) {
    throw notAcceptable(
      `The release ${id} cannot be used: ${JSON.stringify(unreadable.path)} ${unreadable.reason}.`,
    );
  }
  return releases;
}

async function pathsNamed(
  id: string,
  { snapshot }: Refreshed,
  repository: AgentRepository,
): Promise<string[]> {
  const paths: string[] = [];
  for (const file of Object.keys(snapshot.meta)) {
    const bytes = await repository.readRole(file.replace(/\.json$/, ""), caps.targetsBytes);
    for (const [path, { hashes }] of Object.entries(bytes === null ? {} : targetsIn(bytes))) {
      // The id is the beginning of the stronger hash; readRelease knows which one that is.
      if ([hashes.sha512, hashes.sha256].some((hash) => hash?.startsWith(id))) paths.push(path);
    }
  }
  return [...new Set(paths)].slice(0, mostPaths);
}

/** From bytes that are not verified yet. */
function targetsIn(
  bytes: Uint8Array,
): Readonly<Record<string, { hashes: Readonly<Record<string, string>> }>> {
  try {
    return readMetadata("targets", bytes, caps).signed.targets;
  } catch (error) {
    if (error instanceof StewardError) return {};
    throw error;
  }
}

function failedOf({ slots }: ReleaseJournal): ReadonlySet<string> {
  const all = updateKinds.flatMap((kind) => slots[kind].setAside);
  return new Set(all.filter(({ why }) => why === "failed").map(({ id }) => id));
}
