import { StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { listKinds, refusalOfKind } from "../../releases/kind-blockers.ts";
import { type NoRelease, type Release, readRelease } from "../../releases/release.ts";
import type { ReleaseJournal } from "../../releases/release-journal.ts";
import { type Device, type Floors, type InstalledVersions, select } from "../../releases/selection.ts";
import { compareVersions } from "../../releases/semver.ts";
import { caps } from "../../tuf/caps.ts";
import type { Refreshed } from "../../tuf/client.ts";
import { readMetadata } from "../../tuf/read-metadata.ts";
import type { AgentRepository } from "./agent-repository.ts";

/** What root knows of this device, by its own files alone. */
export interface OwnDevice {
  readonly product: string;
  /** As Node names it. */
  readonly arch: string;
  readonly agentVersion: string;
  /** That releases may be of; null: any. */
  readonly channels: readonly string[] | null;
  /** What came with a package, below the releases that were applied. */
  readonly packaged: InstalledVersions;
}

/** Who judges, and by what. */
export interface Judge {
  readonly device: OwnDevice;
  readonly journal: ReleaseJournal;
  readonly floors: Floors;
}

/** A release that was asked for; `floors` are raised by all that is on offer, whether it is taken or not. */
export interface Verdict {
  readonly release: Release;
  readonly floors: Floors;
  /** Why it is not taken, as what follows its name in a sentence; null: it is. */
  readonly refusal: string | null;
}

/** Paths that one payload may be signed under. */
const mostPaths = 16;

/** Judges what was asked for. Throws `update_not_acceptable` where nobody has signed for it, and what searching throws. */
export async function judge(
  id: string,
  { refreshed, repository }: { refreshed: Refreshed; repository: AgentRepository },
  by: Judge,
): Promise<Verdict> {
  const releases = await releasesOf(id, refreshed, repository);
  const [first, ...others] = releases;
  if (first === undefined) throw notAcceptable(`Nobody has signed for the release ${id}.`);
  let verdict = await verdictOn(first, refreshed, by);
  // The same bytes may be signed for in two channels: one that is right is enough.
  for (const other of others) {
    if (verdict.refusal === null) break;
    const next = await verdictOn(other, refreshed, { ...by, floors: verdict.floors });
    verdict = next.refusal === null ? next : { ...verdict, floors: next.floors };
  }
  return verdict;
}

/** `update_not_acceptable`. */
export function notAcceptable(message: string): StewardError {
  return new StewardError("update_not_acceptable", message);
}

async function verdictOn(
  release: Release,
  refreshed: Refreshed,
  { device, journal, floors }: Judge,
): Promise<Verdict> {
  const { channels, packaged, ...facts } = device;
  const { channel } = release;
  if (channels !== null && !channels.includes(channel)) {
    const refusal = `is of the channel ${channel}, and the host file lets in ${channels.join(", ") || "none"}`;
    return { release, floors, refusal };
  }
  const { targets, failures } = await listKinds(refreshed, channel);
  // The floors of its own kind must all be known; a fault of the other kind does not concern it.
  const failure = failures[release.kind];
  if (failure !== null) throw failure;
  const selection = select(targets, {
    ...facts,
    channel,
    floors,
    installed: installedOf(journal, packaged),
    failed: failedOf(journal),
    // Held and deferred releases are not taken unasked; this one was asked for.
    held: new Set(),
  });
  const isThis = ({ path }: { path: string }): boolean => path === release.target.path;
  const isAcceptable = selection.acceptable.some(({ target }) => isThis(target));
  const reason = selection.refused.find(isThis)?.reason ?? "is not on offer";
  return { release, floors: selection.floors, refusal: isAcceptable ? null : reason };
}

/** What is signed for under this id. Where it stands is the agent's word; that it is signed there is the client's. */
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
      `The release ${id} is not taken: ${JSON.stringify(unreadable.path)} ${unreadable.reason}.`,
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
      // Its id is the head of the stronger one; which of them that is, readRelease says.
      if ([hashes.sha512, hashes.sha256].some((hash) => hash?.startsWith(id))) paths.push(path);
    }
  }
  return [...new Set(paths)].slice(0, mostPaths);
}

/** Of bytes that nobody vouches for yet. */
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

/** The newer of what came with a package and of what was applied. */
function installedOf({ slots }: ReleaseJournal, packaged: InstalledVersions): Device["installed"] {
  const newest = (applied: string | undefined, base: string | null): string | null => {
    if (applied === undefined || base === null) return applied ?? base;
    return compareVersions(applied, base) >= 0 ? applied : base;
  };
  return {
    rules: newest(slots.rules.good.at(-1)?.version, packaged.rules),
    binary: newest(slots.binary.good.at(-1)?.version, packaged.binary),
  };
}

function failedOf({ slots }: ReleaseJournal): ReadonlySet<string> {
  const all = updateKinds.flatMap((kind) => slots[kind].setAside);
  return new Set(all.filter(({ why }) => why === "failed").map(({ id }) => id));
}
