import { StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { openRepository } from "../../releases/download/repository-files.ts";
import { isPatch, readPatch } from "../../releases/patches/patch.ts";
import { type Release, readRelease, type UpdateKind } from "../../releases/release.ts";
import { select } from "../../releases/selection.ts";
import { readSignedPayload } from "../../releases/signed-payload.ts";
import { caps } from "../../tuf/caps.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import { readMetadata } from "../../tuf/read-metadata.ts";
import { refresh } from "../../tuf/refresh.ts";
import { readRootOfTrust } from "../../tuf/root-of-trust.ts";
import { missing, type Session } from "../../tuf/session.ts";
import { ed25519Only } from "../../tuf/signatures.ts";
import { expiring } from "../expiry.ts";
import { type DeviceKind, isFor } from "../export/needed-releases.ts";
import { reportOf } from "../inspect.ts";
import { readPublished } from "../published.ts";
import { noRoleFiles, type RoleFiles, roleNames, typeOfRole, usualPeriods } from "../roles.ts";
import { stateOf } from "../state.ts";
import { filesInMemory, longAgo } from "../verify.ts";
import type { Workspace } from "../workspace.ts";
import { Findings, sentenceOf } from "./findings.ts";
import { neverThere, notedTransfers, type OpenTransfers } from "./noted-transfers.ts";
import { checkPayloads, type PayloadPlan } from "./payloads.ts";

export interface CheckRequest {
  /** The address that devices are given. */
  readonly address: string;
  readonly openTransfers: OpenTransfers;
  /** The root that devices are given; undefined: the first one that the server has. */
  readonly root?: Uint8Array | undefined;
  /** The repository that was uploaded; undefined: it is not here. */
  readonly workspace?: Workspace | undefined;
  readonly device: DeviceKind;
  readonly payloads: PayloadPlan;
  readonly marginSeconds?: number | undefined;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/** The server's metadata as `inspect` reports them. `problems`: what devices refuse. */
export type CheckReport = Awaited<ReturnType<typeof checkServer>>;

/**
 * Reads an uploaded repository by the client of devices, and goes on after what they would refuse, as far as it can. Throws
 * the signal's reason, and what is no fault of the server.
 */
export async function checkServer(request: CheckRequest) {
  const { workspace, device, now } = request;
  const walk = beginWalk(request);
  const { findings } = walk;
  const targets = (await findings.attempt("metadata/1.root.json", () => readAsDevices(walk, request))) ?? [];
  const held = await roleFilesIn(walk.files);
  if (workspace !== undefined) await compare(held, workspace, findings);
  const releases = releasesFor(device, targets, findings);
  const isConsistentSnapshot = held.root?.signed.consistent_snapshot ?? true;
  const checks = { ...walk, ...request.payloads, isConsistentSnapshot };
  await checkPayloads(offeredOf(releases, targets), checks);
  const all = findings.list();
  const gone = all.flatMap(({ code, files }) => (code === "update_file_missing" ? files : []));
  const isThere = async (path: string): Promise<boolean> => !gone.includes(`targets/${path}`);
  const { directory = "DIR", owners = {}, periods = usualPeriods, product = null } = workspace ?? {};
  const place = { directory, owners, periods, now: () => now };
  const state = stateOf(held, noRoleFiles);
  return {
    ...(await reportOf(state, { ...place, first: await walk.files.read(firstRoot), isThere, product })),
    problems: all.filter(({ is_refused }) => is_refused).map(sentenceOf),
    findings: all,
    offers: offersOf(releases, device),
    expiring: expiring(place, state, request.marginSeconds),
  };
}

/** One device. */
interface Walk extends Pick<Session, "repository" | "files"> {
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

function beginWalk({ address, openTransfers, signal }: CheckRequest): Walk {
  const findings = new Findings();
  const transfers = notedTransfers(openTransfers, findings);
  const repository = openRepository({ transfers, url: address, caps, signal });
  return { repository, findings, signal, files: filesInMemory() };
}

/** Throws `update_file_missing`. */
async function readFile({ repository }: Walk, name: string): Promise<Uint8Array> {
  const read = await repository.readMetadata(name, { maximumBytes: caps.rootBytes });
  if (read === null || read === "unchanged") throw missing(name);
  return read.bytes;
}

/** The root that devices are given, beside the files of roles. */
const firstRoot = "root/first";

/** The targets that a device finds: first as if nothing had expired, and then as the next check of the device sees it. */
async function readAsDevices(walk: Walk, { root, now }: CheckRequest): Promise<readonly FoundTarget[]> {
  // A page in its place is found by its head; anything else is no finding.
  await new Findings().attempt(neverThere, () => readFile(walk, neverThere));
  const first = root ?? (await readFile(walk, "1.root.json"));
  const { version } = readRootOfTrust(first).root;
  for (const name of ["root", firstRoot]) await walk.files.write(name, first);
  // Devices that were given an earlier root follow from there.
  for (let at = 1; at <= version; at += 1)
    await walk.findings.attempt(`metadata/${at}.root.json`, async () => {
      const bytes = await readFile(walk, `${at}.root.json`);
      if (at === version && Buffer.compare(bytes, first) !== 0)
        throw new StewardError("update_metadata_mismatch", "It is not the root that devices were given.");
    });
  const { targets, validators } = await readAt(walk, { start: longAgo });
  await readAt(walk, { start: now, known: validators });
  return targets;
}

async function readAt({ repository, findings, files }: Walk, moment: Pick<Session, "start" | "known">) {
  const session = { repository, files, caps, verifiers: ed25519Only, ...moment };
  const targets: FoundTarget[] = [];
  const refreshed = await findings.attempt("metadata", () => refresh(session));
  if (refreshed === null) return { targets, validators: undefined };
  for (const kind of updateKinds)
    await findings.attempt(`metadata of ${kind}`, async () => {
      await refreshed.list("stable", kind);
      const others = refreshed.elsewhere().map(({ path }) => path.split("/")[0] ?? "");
      for (const channel of new Set(["stable", ...others]))
        targets.push(...(await refreshed.list(channel, kind)));
    });
  return { targets, validators: refreshed.validators };
}

async function roleFilesIn(files: Walk["files"]): Promise<RoleFiles> {
  let held = noRoleFiles;
  for (const role of roleNames) {
    const bytes = await files.read(role);
    if (bytes !== null) held = { ...held, [role]: readMetadata(typeOfRole[role], bytes, caps) };
  }
  return held;
}

/** The metadata that the server has and those that were to be uploaded. */
async function compare(
  server: RoleFiles,
  { directory, metadata }: Workspace,
  findings: Findings,
): Promise<void> {
  const local = await readPublished(metadata);
  for (const role of roleNames) {
    const [there, here] = [server[role], local[role]];
    if (!there || !here || Buffer.compare(there.bytes, here.bytes) === 0) continue;
    const [its, ours] = [there.signed.version, here.signed.version];
    const message = `The server has version ${its}, and ${directory}/public has ${its === ours ? "another " : ""}version ${ours}.`;
    const remedy =
      its < ours
        ? `Upload ${directory}/public, timestamp.json last; if that was done, purge the cache.`
        : `Publish nothing from ${directory} before you know why: it is an older copy, or was published twice.`;
    findings.add(`metadata of ${role}`, { code: "other_files", is_refused: true, message, remedy });
  }
}

/** The releases for such devices. Other targets are found, unless they are patches. */
function releasesFor(device: DeviceKind, targets: readonly FoundTarget[], findings: Findings): Release[] {
  return targets.flatMap((target) => {
    const release = isPatch(target.file) ? null : readRelease(target);
    if (release === null) return [];
    if ("id" in release) return isFor(device, release) ? [release] : [];
    const message = `Devices pass it over: it ${release.reason}.`;
    const remedy = "Publish it again, by the rules of docs/updates/publishing-format.md.";
    findings.add(`targets/${target.path}`, { code: "not_a_release", is_refused: true, message, remedy });
    return [];
  });
}

/** Releases that are not withdrawn, and the patches to them. */
function offeredOf(releases: readonly Release[], targets: readonly FoundTarget[]): FoundTarget[] {
  const offered = releases.filter(({ withdrawn }) => withdrawn === null).map(({ target }) => target);
  const hashes = new Set(offered.map(({ file }) => readSignedPayload(file).nameHash));
  return [...offered, ...targets.filter((target) => hashes.has(readPatch(target)?.to ?? ""))];
}

/** The target paths of the releases that devices of a kind get, which have none yet; null: none. */
type Offer = Record<"product" | "channel" | "arch", string> & Record<UpdateKind, string | null>;

/** `agentVersion`: no release is for a newer one. */
const newDevice = {
  agentVersion: "9999.0.0",
  installed: { rules: null, binary: null },
  floors: {},
  failed: new Set<string>(),
  held: new Set<string>(),
};

/** One for each product, channel and processor that a release is for; `any`: a processor that no release names. */
function offersOf(releases: readonly Release[], { arch: only }: DeviceKind): Offer[] {
  const kinds = new Map(
    releases.map(({ product, channel, arch }) => {
      const kind = { product, channel, arch: only ?? arch };
      return [JSON.stringify(kind), kind] as const;
    }),
  );
  const targets = releases.map(({ target }) => target);
  return [...kinds.values()].map((kind) => {
    const { rules, binary } = select(targets, { ...kind, ...newDevice }).chosen;
    return { ...kind, rules: rules?.target.path ?? null, binary: binary?.target.path ?? null };
  });
}
