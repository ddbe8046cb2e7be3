import { rm } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import type { Uptime } from "../../host/ports.ts";
import type { Release } from "../../releases/release.ts";
import type { ReleaseJournal } from "../../releases/release-journal.ts";
import type { Floors } from "../../releases/selection.ts";
import { readSignedPayload, type SignedPayload } from "../../releases/signed-payload.ts";
import { caps } from "../../tuf/caps.ts";
import type { Refreshed } from "../../tuf/client.ts";
import { refresh } from "../../tuf/refresh.ts";
import { ed25519Alone } from "../../tuf/signatures.ts";
import { type AgentFiles, type AsAgent, openAgentFiles } from "../files/agent-files.ts";
import { pathsOf, type ReleaseDirectories } from "../files/release-directories.ts";
import { type AgentRepository, createAgentRepository } from "./agent-repository.ts";
import { copySigned, emptyIntake } from "./copy-payload.ts";
import { judge, notAcceptable, type OwnDevice } from "./eligibility.ts";
import { type OwnTrust, openOwnTrust } from "./installer-trust.ts";
import { openTimeFloor } from "./time-floor.ts";

/** A release that root's side has verified by itself. */
export interface VerifiedRelease {
  readonly release: Release;
  /** Root's own copy, `intake/ID/payload.tar.gz`: the bytes that were signed. Whoever has unpacked it removes `intake`. */
  readonly payload: string;
  /** The lowest versions by `<kind>/<name>` that may still be installed, on the disk already. */
  readonly floors: Floors;
}

export interface IntakeOptions {
  readonly directories: ReleaseDirectories;
  /** The agent's, such as /var/lib/steward. */
  readonly stateDirectory: string;
  readonly asAgent: AsAgent;
  /** null: there is none. Throws `update_root_unusable`. */
  readonly readInstalledRoot: () => Promise<Uint8Array | null>;
  readonly device: OwnDevice;
  readonly journal: ReleaseJournal;
  readonly builtAt: Date;
  /** The wall clock, which the agent may set. */
  readonly wall: () => Date;
  readonly uptime: Uptime;
  readonly bootId: string;
}

/**
 * Takes in what the agent has staged as the release `id`, and believes it nothing: its files are opened with its own
 * rights, each is read once, and what was read goes through the whole client again under root's own trust. Whoever calls
 * holds the lock of releases, and has nothing under way meanwhile. Throws `update_not_acceptable`,
 * `update_payload_mismatch`, `update_trust_not_established`, `update_root_unusable`, the client's `update_*`, and
 * `storage_*`; then nothing of any release lies in `intake`.
 */
export async function takeIn(id: string, options: IntakeOptions): Promise<VerifiedRelease> {
  if (!/^[0-9a-f]{32}$/.test(id)) throw notAcceptable("What was asked for is no release's id.");
  const own = await emptyIntake(pathsOf(options.directories).intake, id);
  try {
    return await takeInto(own, id, options);
  } catch (error) {
    await rm(own, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

async function takeInto(own: string, id: string, options: IntakeOptions): Promise<VerifiedRelease> {
  // Before anything of root's is open: see createOwnersRights.
  const files = await openAgentFiles(options.stateDirectory, id, options.asAgent);
  try {
    const trust = await openOwnTrust(options.directories);
    try {
      const verified = await verify(id, files, trust, options);
      const payload = join(own, "payload.tar.gz");
      await copySigned(files.payload, payload, signedPayload(verified.release));
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
  trust: OwnTrust,
  options: IntakeOptions,
): Promise<Pick<VerifiedRelease, "release" | "floors">> {
  await trust.follow(await installedRoot(options));
  const time = await openTimeFloor({ ...options, directory: options.directories.trust });
  const start = time.now();
  const repository = createAgentRepository(files);
  const refreshed = await refreshOwn(repository, trust, start);
  const { device, journal } = options;
  const verdict = await judge(id, { refreshed, repository }, { device, journal, floors: trust.floors() });
  // Before anything is installed, and also where nothing will be: all of it was signed.
  await time.raise(start);
  await trust.keepFloors(verdict.floors);
  const { release, floors, refusal } = verdict;
  if (refusal !== null) throw notAcceptable(`${release.name} ${release.version} ${refusal}.`);
  return { release, floors };
}

async function installedRoot({ readInstalledRoot }: IntakeOptions): Promise<Uint8Array> {
  const bytes = await readInstalledRoot();
  if (bytes !== null) return bytes;
  throw new StewardError(
    "update_trust_not_established",
    "No root of trust is installed on this device, so nothing can be verified.",
  );
}

function refreshOwn(repository: AgentRepository, { files }: OwnTrust, start: Date): Promise<Refreshed> {
  return refresh({ repository, files, caps, verifiers: ed25519Alone, start });
}

function signedPayload(release: Release): SignedPayload {
  const payload = readSignedPayload(release.target.file);
  // Both are heads of its strongest hash; what the tree will be called must be what was hashed.
  if (payload.id !== release.id) throw notAcceptable(`${release.name} ${release.version} has two ids.`);
  return payload;
}
