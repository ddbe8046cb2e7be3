import { rm } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import type { AsAgent } from "../../host/host.ts";
import type { ReleaseFiles } from "../../host/release-ports.ts";
import { installationNeeds, requireSpace } from "../../releases/needed-space.ts";
import type { Release } from "../../releases/release.ts";
import type { Floors } from "../../releases/selection.ts";
import { readSignedPayload, type SignedPayload } from "../../releases/signed-payload.ts";
import { caps } from "../../tuf/caps.ts";
import { refresh } from "../../tuf/refresh.ts";
import { ed25519Only } from "../../tuf/signatures.ts";
import { type AgentFiles, openAgentFiles } from "../files/agent-files.ts";
import { pathsOf, type ReleaseDirectories } from "../files/release-directories.ts";
import { createAgentRepository } from "./agent-repository.ts";
import { copySigned, emptyCopyDirectory } from "./copy-payload.ts";
import { type EligibilityFacts, judgeEligibility, notAcceptable } from "./eligibility.ts";
import { type InstallerTrust, openInstallerTrust } from "./installer-trust.ts";
import { openTimeFloor, type TimeFloorOptions } from "./time-floor.ts";

export interface VerifiedRelease {
  readonly release: Release;
  /** The installer's copy of the signed bytes. The caller removes it after unpacking. */
  readonly payload: string;
  /** The lowest versions by `<kind>/<name>` that may still be installed, already on the disk. */
  readonly floors: Floors;
}

export interface VerificationOptions
  extends Omit<EligibilityFacts, "floors">,
    Omit<TimeFloorOptions, "directory"> {
  readonly directories: ReleaseDirectories;
  /** The agent's, usually /var/lib/steward. */
  readonly stateDirectory: string;
  readonly asAgent: AsAgent;
  /** null: there is none. Throws `update_root_unusable`. */
  readonly readInstalledRoot: () => Promise<Uint8Array | null>;
  readonly freeBytes: ReleaseFiles["freeBytes"];
}

/**
 * Verifies the release `id` that the agent has staged, and copies its payload. The agent is not trusted: its files are
 * opened with its own rights, each is read once, and the whole client runs again with the installer's own trust
 * (docs/design/updates.md, rule 7). The caller holds the lock of releases. Throws `update_not_acceptable`,
 * `update_payload_mismatch`, `update_trust_not_established`, `update_root_unusable`, the client's `update_*`, and
 * `storage_*`; then no copy is left.
 */
export async function verifyAndCopy(id: string, options: VerificationOptions): Promise<VerifiedRelease> {
  if (!/^[0-9a-f]{32}$/.test(id))
    throw notAcceptable("The request does not name a release: an id has 32 hex digits.");
  const own = await emptyCopyDirectory(pathsOf(options.directories).copies, id);
  try {
    return await verifyInto(own, id, options);
  } catch (error) {
    await rm(own, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

async function verifyInto(own: string, id: string, options: VerificationOptions): Promise<VerifiedRelease> {
  // Before any file of root is open: see createOwnersRights.
  const files = await openAgentFiles(options.stateDirectory, id, options.asAgent);
  try {
    const trust = await openInstallerTrust(options.directories);
    try {
      const verified = await verify(id, files, trust, options);
      const { name, version } = verified.release;
      const needs = installationNeeds(options.directories, verified.release);
      await requireSpace(`${name} ${version} needs at least`, needs, options.freeBytes);
      const payload = join(own, "payload.tar.gz");
      copySigned(files.payload, payload, signedPayload(verified.release));
      return { ...verified, payload };
    } finally {
      await trust.close();
    }
  } finally {
    files.close();
  }
}

async function verify(
  id: string,
  files: AgentFiles,
  trust: InstallerTrust,
  options: VerificationOptions,
): Promise<Pick<VerifiedRelease, "release" | "floors">> {
  await trust.follow(await installedRoot(options));
  const time = await openTimeFloor({ ...options, directory: options.directories.trust });
  const start = time.now();
  const repository = createAgentRepository(files);
  const refreshed = await refresh({ repository, files: trust.files, caps, verifiers: ed25519Only, start });
  const { device, journal } = options;
  const verdict = await judgeEligibility(
    id,
    { refreshed, repository },
    { device, journal, floors: trust.floors() },
  );
  // Also when the release is refused: dates and floors were signed all the same.
  await time.raise(start);
  await trust.keepFloors(verdict.floors);
  const { release, floors, refusal } = verdict;
  if (refusal !== null) throw notAcceptable(`${release.name} ${release.version} ${refusal}.`);
  return { release, floors };
}

async function installedRoot({ readInstalledRoot }: VerificationOptions): Promise<Uint8Array> {
  const bytes = await readInstalledRoot();
  if (bytes !== null) return bytes;
  throw new StewardError(
    "update_trust_not_established",
    "No root of trust is installed on this device, so releases cannot be verified.",
  );
}

function signedPayload(release: Release): SignedPayload {
  const payload = readSignedPayload(release.target.file);
  // Both are taken from the strongest hash; the tree must get the name that was verified.
  if (payload.id !== release.id) throw notAcceptable(`${release.name} ${release.version} has two ids.`);
  return payload;
}
