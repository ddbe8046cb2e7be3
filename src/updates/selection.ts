import { updateKinds } from "../contract/update-kinds.ts";
import type { FoundTarget } from "./client.ts";
import { type NoRelease, type Release, readRelease, type UpdateKind } from "./release.ts";
import { compareVersions } from "./semver.ts";

/** The lowest version that may still be installed, by `<kind>/<name>`, as publishers signed them. */
export type Floors = Readonly<Record<string, string>>;

/** Versions by kind; null: none that is known. */
export type InstalledVersions = Readonly<Record<UpdateKind, string | null>>;

/** What decides whether a release is for this device. */
export interface Device {
  readonly product: string;
  /** As Node names it. */
  readonly arch: string;
  readonly agentVersion: string;
  readonly channel: string;
  readonly installed: InstalledVersions;
  readonly floors: Floors;
  /** Releases that were tried here and failed, by id. */
  readonly failed: ReadonlySet<string>;
  /** Releases that somebody does not want here, by id. */
  readonly held: ReadonlySet<string>;
}

/** What of an offer is for this device. */
export interface Selection {
  /** The newest of each kind that may be installed. */
  readonly chosen: Readonly<Record<UpdateKind, Release | null>>;
  /** All that may be installed, the newest or not. */
  readonly acceptable: readonly Release[];
  /** Why the others are not. */
  readonly refused: readonly NoRelease[];
  /** Those that were known, raised by those that came with the offer. */
  readonly floors: Floors;
}

/** Names whose floors are kept; beyond them floors count as long as they are on offer. */
const maximumFloors = 64;

/** Refusals that are named in one sentence. */
const namedRefusals = 3;

/** What of an offer was refused that somebody may have waited for, in words; null: nothing. */
export function refusalsInWords({ refused }: Selection): string | null {
  const remarkable = refused.filter(({ isOrdinary }) => !isOrdinary);
  if (remarkable.length === 0) return null;
  // A path may hold what no terminal should see.
  const named = remarkable
    .slice(0, namedRefusals)
    .map(({ path, reason }) => `${JSON.stringify(path.slice(0, 120))} ${reason}`);
  const more = remarkable.length > namedRefusals ? `; and ${remarkable.length - namedRefusals} more` : "";
  return `Not taken: ${named.join("; ")}${more}.`;
}

/** Picks what may be installed here of all that was signed. Floors only rise: a later offer cannot lower one. */
export function select(targets: readonly FoundTarget[], device: Device): Selection {
  const read = targets.map(readRelease);
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
    const why =
      refusal ?? (chosen[release.kind] === release ? null : ordinary("is older than another offer"));
    return why === null ? [] : [{ path: release.target.path, ...why }];
  });
  return {
    chosen,
    acceptable,
    refused: [...read.filter((one): one is NoRelease => !isRelease(one)), ...refused],
    floors: Object.fromEntries(Object.entries(offered).slice(0, maximumFloors)),
  };
}

/** The lowest version allowed of what goes by this name; undefined: there is none. */
export function floorOf(floors: Floors, named: Pick<Release, "kind" | "name">): string | undefined {
  return floors[floorKey(named)];
}

/** Under what name the floor of a release is kept. */
function floorKey({ kind, name }: Pick<Release, "kind" | "name">): string {
  return `${kind}/${name}`;
}

function isRelease(read: Release | NoRelease): read is Release {
  return "id" in read;
}

/** Of releases for this device alone: a floor of another product says nothing about this one. */
function raisedFloors(known: Floors, releases: readonly Release[]): Floors {
  const floors = new Map(Object.entries(known));
  for (const release of releases) {
    // What the publisher took back raises nothing any more.
    if (release.floor === null || release.withdrawn !== null) continue;
    const present = floors.get(floorKey(release));
    if (present === undefined || compareVersions(release.floor, present) > 0) {
      floors.set(floorKey(release), release.floor);
    }
  }
  return Object.fromEntries(floors);
}

/** Signed, and meant for others: it must not be offered here, whoever put it into this repository's way. */
function wrongSoftware(release: Release, device: Device): string | null {
  if (release.channel !== device.channel)
    return `is of the channel ${release.channel}, not ${device.channel}`;
  if (release.product !== device.product)
    return `is for the product ${release.product}, not ${device.product}`;
  if (release.arch !== "any" && release.arch !== device.arch) {
    return `is for ${release.arch}, and this device is ${device.arch}`;
  }
  return null;
}

type Refusal = Omit<NoRelease, "path">;

function refusalOf(release: Release, device: Device, floors: Floors): Refusal | null {
  const wrong = wrongSoftware(release, device);
  if (wrong !== null) return ordinary(wrong);
  const installed = device.installed[release.kind];
  if (installed !== null && compareVersions(release.version, installed) <= 0) {
    return ordinary(`is not newer than ${installed}, which is installed`);
  }
  const reason = reasonAgainst(release, device, floors);
  return reason === null ? null : { reason, isOrdinary: false };
}

/** Newer, for this device, and still not to be installed: somebody may want to know. */
function reasonAgainst(release: Release, device: Device, floors: Floors): string | null {
  if (release.withdrawn !== null) return `was withdrawn by its publisher: ${release.withdrawn}`;
  const floor = floorOf(floors, release);
  if (floor !== undefined && compareVersions(release.version, floor) < 0) {
    return `is below ${floor}, the lowest version that its publisher still allows`;
  }
  if (release.minAgent !== null && compareVersions(device.agentVersion, release.minAgent) < 0) {
    return `needs an agent of version ${release.minAgent}, and this one is ${device.agentVersion}`;
  }
  if (device.failed.has(release.id)) return "failed on this device before";
  if (device.held.has(release.id)) return "is held back on this device";
  return null;
}

function ordinary(reason: string): Refusal {
  return { reason, isOrdinary: true };
}

/** Of equal precedence the one whose path comes first, so that every device of a kind takes the same. */
function newest(releases: readonly Release[]): Release | null {
  return releases.reduce<Release | null>((best, one) => {
    if (best === null) return one;
    const order = compareVersions(one.version, best.version);
    const isBetter = order > 0 || (order === 0 && one.target.path < best.target.path);
    return isBetter ? one : best;
  }, null);
}
