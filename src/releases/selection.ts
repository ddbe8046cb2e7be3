import { mostPassedOver, passedOverCodes } from "../contract/schemas/update-passed-over.ts";
import type { PassedOver } from "../contract/types.ts";
import { updateKinds } from "../contract/update-kinds.ts";
import { isRecall } from "../contract/updates/update-summaries.ts";
import type { FoundTarget } from "../tuf/client.ts";
import { countsOf, isForOthers, isOrdinary, type Refusal, reasonWords } from "./passed-over.ts";
import { isPatch } from "./patches/patch.ts";
import { type NoRelease, type Release, readRelease, type UpdateKind } from "./release.ts";
import { compareVersions } from "./semver.ts";

/** The lowest version that may still be installed, by `<kind>/<name>`, as publishers signed them. */
export type Floors = Readonly<Record<string, string>>;

/** Versions by kind; null: none is known. */
export type InstalledVersions = Readonly<Record<UpdateKind, string | null>>;

export interface Device {
  readonly product: string;
  /** As Node names it. */
  readonly arch: string;
  readonly agentVersion: string;
  readonly channel: string;
  readonly installed: InstalledVersions;
  /** Ids of the installed releases; null, or absent: the version tells which one it is. */
  readonly installedIds?: Readonly<Record<UpdateKind, string | null>>;
  readonly floors: Floors;
  /** Releases that were tried here and failed, by id. */
  readonly failed: ReadonlySet<string>;
  /** Releases that are held or deferred here, by id. */
  readonly held: ReadonlySet<string>;
}

/** The part of an offer that is for this device. */
export type Selection = ReturnType<typeof select>;

/** A readable release that is not to be installed here, with the reason. */
type RefusedRelease = ReturnType<typeof refusedRelease>;

/** Names whose floors are kept, and new ones of each kind; beyond them floors count as long as they are on offer. */
const maximumFloors = { ofAll: 64, ofKind: 32 } as const;

/** Refused releases that a person may have expected, in words; null: none. */
export function refusalsInWords({ refused }: Selection): string | null {
  const remarkable = refused.filter(({ isOrdinary }) => !isOrdinary);
  if (remarkable.length === 0) return null;
  // A path may hold characters that no terminal should get.
  const named = remarkable
    .slice(0, namedRefusals)
    .map(({ path, reason }) => `${JSON.stringify(path.slice(0, 120))} ${reason}`);
  const more = remarkable.length > namedRefusals ? `; and ${remarkable.length - namedRefusals} more` : "";
  return `Not taken: ${named.join("; ")}${more}.`;
}

/** Refusals named in one sentence; characters shown of a path and of a publisher's reason. */
const [namedRefusals, longestText] = [3, 300];

/**
 * The releases that were not chosen, as the contract has them: all newer ones, and of releases for other devices, or
 * not newer, the newest of its name; no more than fit. A release older than another offer is left out.
 */
export function passedOverOf({ refused }: Pick<Selection, "refused">): PassedOver[] {
  const seen = new Set<string>();
  const isNewest = ({ code, kind, name, offered }: PassedOver): boolean => {
    if (!isOrdinary({ code })) return true;
    const group = JSON.stringify(code === "not_newer" ? [code, kind] : [code, kind, name, offered]);
    const isNew = !seen.has(group);
    seen.add(group);
    return isNew;
  };
  const told = refused.flatMap(toldRefusal).toSorted(byNews).filter(isNewest).slice(0, mostPassedOver);
  return told.map(({ path, detail, ...one }) => ({
    ...one,
    path: path.slice(0, longestText).toWellFormed(),
    detail: detail?.slice(0, longestText).toWellFormed() ?? null,
  }));
}

function toldRefusal(one: NoRelease | RefusedRelease): PassedOver[] {
  const { path } = one;
  if (!("refusal" in one)) {
    const unknown = { kind: null, name: null, version: null, offered: null, here: null };
    return [{ ...unknown, code: "unreadable", path, detail: one.reason }];
  }
  const { code, offered, here, detail } = one.refusal;
  if (code === "superseded") return [];
  const { kind, name, version } = one.release;
  return [{ code, kind, name, version, path, offered, here, detail }];
}

/** Recalls, the others by the code in the contract's order, and then the newest first. */
function byNews(one: PassedOver, other: PassedOver): number {
  if (isRecall(one) !== isRecall(other)) return isRecall(one) ? -1 : 1;
  const byCode = passedOverCodes.indexOf(one.code) - passedOverCodes.indexOf(other.code);
  return byCode === 0 ? compareVersions(other.version ?? "", one.version ?? "") : byCode;
}

/**
 * Picks the releases that may be installed here from all signed ones. Floors only rise: a later offer cannot lower one.
 * Releases in other channels (`elsewhere`) are only reported, never picked.
 */
export function select(
  targets: readonly FoundTarget[],
  device: Device,
  elsewhere: readonly FoundTarget[] = [],
) {
  const read = targets.filter(({ file }) => !isPatch(file)).map(readRelease);
  const releases = read.filter(isRelease);
  const offered = raisedFloors(
    device.floors,
    releases.filter((release) => wrongSoftware(release, device) === null),
  );
  const judged = releases.map((release) => ({ release, refusal: refusalOf(release, device, offered) }));
  const acceptable = judged.filter(({ refusal }) => refusal === null).map(({ release }) => release);
  const chosen = Object.fromEntries(
    updateKinds.map((kind) => [kind, newest(acceptable.filter((one) => one.kind === kind))]),
  ) as Record<UpdateKind, Release | null>;
  const refused = judged.flatMap(({ release, refusal }) => {
    const why = refusal ?? (chosen[release.kind] === release ? null : refusedFor("superseded"));
    return why === null ? [] : [refusedRelease(release, why)];
  });
  const forOthers = elsewhere.map(readRelease).filter(isRelease);
  const isSeen = (kind: UpdateKind) =>
    [...releases, ...forOthers].some((release) => release.kind === kind && isInstalled(release, device));
  const all = [
    ...read.filter((one): one is NoRelease => !isRelease(one)),
    ...refused,
    ...forOthers.flatMap((release) => {
      const refusal = recallOf(release, device) ?? wrongSoftware(release, device);
      return refusal === null ? [] : [refusedRelease(release, refusal)];
    }),
  ];
  return {
    /** The newest of each kind that may be installed. */
    chosen,
    /** All that may be installed, the newest or not. */
    acceptable,
    /** The reasons why the others may not be installed. */
    refused: all,
    counts: countsOf(all.filter((one) => isCounted(one, device)).map(codeOf)),
    /** Kinds whose installed release is among the offers, withdrawn or not. */
    seen: updateKinds.filter(isSeen),
    /** The known floors, raised by those of the offer. */
    floors: keptFloors(offered, device.floors),
  };
}

/** Older releases of this product do not concern this device, whatever their channel or processor. */
function isCounted(one: NoRelease | RefusedRelease, { installed }: Device): boolean {
  if (!("refusal" in one)) return true;
  const { code } = one.refusal;
  const present = installed[one.release.kind];
  const isOlder = present !== null && compareVersions(one.release.version, present) <= 0;
  return !isForOthers(code) || code === "other_product" || !isOlder;
}

function codeOf(one: NoRelease | RefusedRelease): Refusal["code"] {
  return "refusal" in one ? one.refusal.code : "unreadable";
}

/** The keys of one kind cannot use up the places of the other; a known floor stays. */
function keptFloors(floors: Floors, known: Floors): Floors {
  const isKept = ([key]: [string, string], index: number): boolean =>
    index < maximumFloors.ofKind || Object.hasOwn(known, key);
  const of = (kind: UpdateKind) => Object.entries(floors).filter(([key]) => key.startsWith(`${kind}/`));
  const kept = updateKinds.flatMap((kind) => of(kind).filter(isKept));
  return Object.fromEntries(kept.slice(0, maximumFloors.ofAll));
}

/** The lowest allowed version of a release with this name; undefined: there is none. */
export function floorOf(floors: Floors, named: Pick<Release, "kind" | "name">): string | undefined {
  return floors[floorKey(named)];
}

function floorKey({ kind, name }: Pick<Release, "kind" | "name">): string {
  return `${kind}/${name}`;
}

function isRelease(read: Release | NoRelease): read is Release {
  return "id" in read;
}

/** Only releases for this device raise floors: a floor of another product does not concern this one. */
function raisedFloors(known: Floors, releases: readonly Release[]): Floors {
  const floors = new Map(Object.entries(known));
  for (const release of releases) {
    // A withdrawn release no longer raises a floor.
    if (release.floor === null || release.withdrawn !== null) continue;
    const present = floors.get(floorKey(release));
    if (present === undefined || compareVersions(release.floor, present) > 0) {
      floors.set(floorKey(release), release.floor);
    }
  }
  return Object.fromEntries(floors);
}

/** A release may be signed and meant for another product: a repository that holds it by mistake must not offer it here. */
function wrongSoftware(release: Release, device: Device): Refusal | null {
  if (release.product !== device.product)
    return refusedFor("other_product", { offered: release.product, here: device.product });
  if (release.arch !== "any" && release.arch !== device.arch)
    return refusedFor("other_arch", { offered: release.arch, here: device.arch });
  // Last: if only the channel differs, the device could follow that channel.
  if (release.channel !== device.channel)
    return refusedFor("other_channel", { offered: release.channel, here: device.channel });
  return null;
}

/** The installed release counts in any channel: the device may have followed another one. */
function recallOf(release: Release, device: Device): Refusal | null {
  const { withdrawn, version } = release;
  if (withdrawn === null || !isInstalled(release, device)) return null;
  return refusedFor("withdrawn", { here: version, detail: withdrawn });
}

function isInstalled({ kind, id, version, product, arch }: Release, device: Device): boolean {
  if (product !== device.product || (arch !== "any" && arch !== device.arch)) return false;
  const present = device.installed[kind];
  return present === version && (device.installedIds?.[kind] ?? id) === id;
}

function refusalOf(release: Release, device: Device, floors: Floors): Refusal | null {
  const wrong = recallOf(release, device) ?? wrongSoftware(release, device);
  if (wrong !== null) return wrong;
  const installed = device.installed[release.kind];
  if (installed !== null && compareVersions(release.version, installed) <= 0)
    return refusedFor("not_newer", { here: installed });
  return refusalOfNewer(release, device, floors);
}

/** The release is newer, for this device, and still not to be installed: a person may be waiting for it. */
function refusalOfNewer(release: Release, device: Device, floors: Floors): Refusal | null {
  const { withdrawn, minAgent, version, id } = release;
  if (withdrawn !== null) return refusedFor("withdrawn", { detail: withdrawn });
  const floor = floorOf(floors, release);
  if (floor !== undefined && compareVersions(version, floor) < 0)
    return refusedFor("below_floor", { here: floor });
  if (minAgent !== null && compareVersions(device.agentVersion, minAgent) < 0)
    return refusedFor("needs_newer_agent", { offered: minAgent, here: device.agentVersion });
  if (device.failed.has(id)) return refusedFor("failed");
  if (device.held.has(id)) return refusedFor("held");
  return null;
}

function refusedFor(code: Refusal["code"], facts: Partial<Refusal> = {}): Refusal {
  return { offered: null, here: null, detail: null, ...facts, code };
}

function refusedRelease(release: Release, refusal: Refusal) {
  const { path } = release.target;
  return {
    path,
    reason: reasonWords(refusal, release.version),
    isOrdinary: isOrdinary(refusal) || isRecall(refusal),
    release,
    refusal,
  };
}

/** The newest release; of equal precedence the first path, so that all devices of a kind take the same. */
function newest(releases: readonly Release[]): Release | null {
  return releases.reduce<Release | null>((best, one) => {
    if (best === null) return one;
    const order = compareVersions(one.version, best.version);
    const isBetter = order > 0 || (order === 0 && one.target.path < best.target.path);
    return isBetter ? one : best;
  }, null);
}
