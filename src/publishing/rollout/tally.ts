import { type ReportedState, type RolloutReport, readReport } from "../../releases/rollout-report.ts";
import { compareVersions } from "../../releases/semver.ts";
import { type ReleaseEntry, releasesIn } from "../release-entry.ts";
import { type RoleFiles, releaseRoles } from "../roles.ts";
import { rfc3339Seconds } from "../state.ts";
import { type LogLine, networkOf, readLogLine } from "./access-log.ts";
import { countReports, packed } from "./last-report.ts";

/** A published release as devices report it: they do not say their channel and architecture. */
export interface WatchedRelease extends Pick<ReleaseEntry, "product" | "kind" | "name" | "version"> {
  /** Those in which it is on offer, neither withdrawn nor paused; empty: in none. */
  readonly channels: readonly string[];
  /** Those of them in which nothing of its name is newer, on offer or not. */
  readonly newestIn: readonly string[];
  /** From when on it is within reach of so many of a hundred devices, in no order. */
  readonly reach: readonly Reach[];
}

interface Reach {
  /** Seconds since 1970. */
  readonly seconds: number;
  readonly percent: number;
}

/** The reports of devices about a release. */
export interface ReleaseFigures extends Omit<WatchedRelease, "reach"> {
  /** Devices by the last state that each reported. */
  readonly states: Readonly<Record<ReportedState, number>>;
  /** Devices on which it was tried to its end: healthy or undone. */
  readonly tried: number;
  /** The silent ones are among them where these are asked to count. */
  readonly undone: number;
  /**
   * Devices that had it, or could begin it, at their last report, which is old; null: not known, because the release is
   * not the newest on offer, or the log has no times.
   */
  readonly silent: number | null;
  /** They are among `undone` and `tried`. */
  readonly counts_silent: boolean;
  /** The share of those that tried it, in percent; null: none has. */
  readonly undone_percent: number | null;
  /** The last place in the waves from which it was tried, in percent; null: none. */
  readonly reached_percent: number | null;
}

/** The lines of the log that are not reports that count. */
export interface LogFigures {
  readonly lines: number;
  /** Time of the newest line, RFC 3339; null: no line has one. */
  readonly newest_at: string | null;
  /** Requests without a report. */
  readonly silent: number;
  /** Lines in no known format. */
  readonly malformed: number;
  /** Headers that are no report. */
  readonly unreadable: number;
  /** Reports of no release of this repository. */
  readonly foreign: number;
  /** Reports beyond the number of devices that are kept. */
  readonly beyond_limit: number;
}

/** The owner of one vote. An address cannot be made up as easily as the number of a device. */
export type CountBy = "devices" | "addresses";

/** Devices that are kept, of all releases: some 200 MB. A flood of made-up ones must not fill the memory. */
const mostDevices = 2_000_000;

/** These undid a release that had begun; a refusal changed nothing on the device. */
const undoneStates: readonly ReportedState[] = ["failed", "deferred", "aborted", "rolled_back"];
const triedStates: readonly ReportedState[] = ["good", ...undoneStates];

interface Row {
  /** The last report of each device, as `packed` writes it: a number costs a tenth of an object. */
  readonly reports: Map<string, number>;
  reached: number | null;
}

/** The rules by which a tally counts. */
export interface TallyOptions {
  readonly countBy: CountBy;
  /** A report that is older than this, in seconds before the newest line, is old. */
  readonly silentAfterSeconds: number;
  /** Silent devices count as undone. */
  readonly countsSilent: boolean;
  /** Devices that are kept. */
  readonly most?: number;
  /** Gets each report that can be read, also those of no release of this repository. */
  readonly onReport?: (line: Pick<LogLine, "address" | "seconds">, report: RolloutReport) => void;
}

/** Counts what an access log says of the releases of a repository; the last report of a device counts. */
export class Tally {
  readonly #options: TallyOptions;
  readonly #rows = new Map<string, Row>();
  readonly #log = { lines: 0, silent: 0, malformed: 0, unreadable: 0, foreign: 0, beyond_limit: 0 };
  #releases: ReadonlyMap<string, WatchedRelease> = new Map();
  #devices = 0;
  /** Seconds since 1970 of the newest line: a log that is read late makes no device silent. */
  #newest = 0;

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  /** From now on these count, as they are published at this moment. */
  watch(releases: readonly WatchedRelease[]): void {
    this.#releases = new Map(releases.map((release) => [keyOf(release.product, release), release]));
  }

  addLine(text: string): void {
    this.#log.lines += 1;
    const line = readLogLine(text);
    if (line === null) {
      this.#log.malformed += 1;
      return;
    }
    this.#newest = Math.max(this.#newest, line.seconds ?? 0);
    if (line.report === null) this.#log.silent += 1;
    else this.#addReport(line.report, line);
  }

  #addReport(text: string, { address, seconds }: Pick<LogLine, "address" | "seconds">): void {
    const report = readReport(text);
    if (report === null) {
      this.#log.unreadable += 1;
      return;
    }
    this.#options.onReport?.({ address, seconds }, report);
    const voter = this.#options.countBy === "addresses" ? networkOf(address) : null;
    let isForeign = true;
    for (const said of report.releases) {
      const key = keyOf(report.product, said);
      const release = this.#releases.get(key);
      if (release === undefined) continue;
      isForeign = false;
      const row = this.#rowOf(key);
      const { state, wavePercent } = said;
      const isReached = seconds !== null && wavePercent < reachAt(release, seconds);
      const isKept = this.#vote(row, voter ?? said.device, packed({ state, isReached, seconds }));
      if (isKept && triedStates.includes(state)) row.reached = Math.max(row.reached ?? 0, wavePercent);
    }
    if (isForeign) this.#log.foreign += 1;
  }

  #rowOf(key: string): Row {
    const row = this.#rows.get(key) ?? { reports: new Map<string, number>(), reached: null };
    this.#rows.set(key, row);
    return row;
  }

  /** False: there is no room for it. */
  #vote({ reports }: Row, voter: string, report: number): boolean {
    if (!reports.has(voter)) {
      if (this.#devices >= (this.#options.most ?? mostDevices)) {
        this.#log.beyond_limit += 1;
        return false;
      }
      this.#devices += 1;
    }
    reports.set(voter, report);
    return true;
  }

  log(): LogFigures {
    const newest_at = this.#newest > 0 ? rfc3339Seconds(this.#newest * 1_000) : null;
    return { ...this.#log, newest_at };
  }

  /** The figures of each published release, newest first within its name. */
  figures(): readonly ReleaseFigures[] {
    const sorted = [...this.#releases].toSorted(
      ([, one], [, other]) =>
        one.product.localeCompare(other.product) ||
        one.kind.localeCompare(other.kind) ||
        one.name.localeCompare(other.name) ||
        compareVersions(other.version, one.version),
    );
    const { silentAfterSeconds, countsSilent } = this.#options;
    const oldBefore = this.#newest - silentAfterSeconds;
    return sorted.map(([key, { reach: _, ...release }]) => {
      const isJudged = this.#newest > 0 && release.newestIn.length > 0;
      const counts = countReports(this.#rows.get(key)?.reports, isJudged ? oldBefore : null);
      const silent = isJudged ? counts.silentGood + counts.silentOthers : null;
      const sum = (all: readonly ReportedState[]) =>
        all.reduce((total, state) => total + counts.states[state], 0);
      const [tried, undone] = [sum(triedStates), sum(undoneStates)];
      const counted = countsSilent
        ? { tried: tried + counts.silentOthers, undone: undone + (silent ?? 0) }
        : { tried, undone };
      return {
        ...release,
        states: counts.states,
        ...counted,
        silent,
        counts_silent: countsSilent,
        undone_percent: percentOf(counted),
        reached_percent: this.#rows.get(key)?.reached ?? null,
      };
    });
  }
}

function percentOf({ undone, tried }: { undone: number; tried: number }): number | null {
  return tried === 0 ? null : Math.round((undone / tried) * 10_000) / 100;
}

/** Percent of the devices within whose reach a release is at a time. */
function reachAt({ reach }: WatchedRelease, at: number): number {
  return reach.reduce((most, { seconds, percent }) => (seconds <= at ? Math.max(most, percent) : most), 0);
}

function keyOf(product: string, { kind, name, version }: Pick<WatchedRelease, "kind" | "name" | "version">) {
  return [product, kind, name, version].join(" ");
}

/** The releases that the published metadata name. */
export function watchedReleases(published: RoleFiles): readonly WatchedRelease[] {
  const all = releaseRoles.flatMap((role) => releasesIn(published[role]?.signed.targets));
  const entries = all.map(({ entry }) => entry);
  const byKey = new Map(entries.map((entry) => [keyOf(entry.product, entry), entry]));
  return [...byKey.values()].map(({ product, kind, name, version }) => {
    const same = entries.filter((one) => one.product === product && one.kind === kind && one.name === name);
    const onOffer = same.filter((one) => one.version === version && !one.withdrawn && !one.paused);
    const channels = [...new Set(onOffer.map(({ channel }) => channel))];
    // Stopped releases count as well: the one before is known to work, and must not be stopped in their place.
    const newestIn = channels.filter((channel) =>
      same.every((one) => one.channel !== channel || compareVersions(one.version, version) <= 0),
    );
    const reach = onOffer.flatMap(reachOf);
    return { product, kind, name, version, channels, newestIn, reach };
  });
}

function reachOf({ waves, urgent }: ReleaseEntry): readonly Reach[] {
  if (!waves || urgent) return [{ seconds: 0, percent: 100 }];
  const start = Date.parse(waves.start) / 1_000;
  return waves.steps.map(({ percent, after_seconds }) => ({ seconds: start + after_seconds, percent }));
}
