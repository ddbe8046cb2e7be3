import type { UpdateKind } from "../../releases/release.ts";
import { type ReportedState, readReport, reportedStates } from "../../releases/rollout-report.ts";
import { compareVersions } from "../../releases/semver.ts";
import { readEntry } from "../release-entry.ts";
import { type Held, releaseRoles } from "../roles.ts";
import { networkOf, readLogLine } from "./access-log.ts";

/** A published release as devices report it: they do not say their channel and architecture. */
export interface WatchedRelease {
  readonly product: string;
  readonly kind: UpdateKind;
  readonly name: string;
  readonly version: string;
  /** Those in which it is on offer, neither withdrawn nor paused; empty: in none. */
  readonly channels: readonly string[];
  /** Those of them in which nothing of its name is newer, on offer or not. */
  readonly newestIn: readonly string[];
}

/** What devices said of a release. */
export interface ReleaseFigures extends WatchedRelease {
  /** Devices by the last state that each reported. */
  readonly states: Readonly<Record<ReportedState, number>>;
  /** Devices on which it was tried to its end: healthy or undone. */
  readonly tried: number;
  readonly undone: number;
  /** Of those that tried it, in percent; null: none has. */
  readonly undone_percent: number | null;
  /** The last place in the waves from which it was tried, in percent; null: none. */
  readonly reached_percent: number | null;
}

/** What the log consists of, besides reports that count. */
export interface LogFigures {
  readonly lines: number;
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

/** What one vote belongs to. An address cannot be made up as easily as the number of a device. */
export type CountBy = "devices" | "addresses";

/** Devices that are kept, of all releases: some 200 MB. A flood of made-up ones must not fill the memory. */
const mostDevices = 2_000_000;

/** These undid a release that had begun; a refusal changed nothing on the device. */
export const undoneStates: readonly ReportedState[] = ["failed", "deferred", "aborted", "rolled_back"];
const triedStates: readonly ReportedState[] = ["good", ...undoneStates];

interface Row {
  readonly states: Map<string, number>;
  reached: number | null;
}

/** Counts what an access log says of the releases of a repository; the last report of a device counts. */
export class Tally {
  readonly #countBy: CountBy;
  readonly #mostDevices: number;
  readonly #rows = new Map<string, Row>();
  readonly #log = { lines: 0, silent: 0, malformed: 0, unreadable: 0, foreign: 0, beyond_limit: 0 };
  #releases: ReadonlyMap<string, WatchedRelease> = new Map();
  #devices = 0;

  constructor(countBy: CountBy, most = mostDevices) {
    this.#countBy = countBy;
    this.#mostDevices = most;
  }

  /** From now on these count, as they are published at this moment. */
  watch(releases: readonly WatchedRelease[]): void {
    this.#releases = new Map(releases.map((release) => [keyOf(release.product, release), release]));
  }

  addLine(text: string): void {
    this.#log.lines += 1;
    const line = readLogLine(text);
    if (line === null) this.#log.malformed += 1;
    else if (line.report === null) this.#log.silent += 1;
    else this.#addReport(line.report, line.address);
  }

  #addReport(text: string, address: string): void {
    const report = readReport(text);
    if (report === null) {
      this.#log.unreadable += 1;
      return;
    }
    const voter = this.#countBy === "addresses" ? networkOf(address) : null;
    let isForeign = true;
    for (const release of report.releases) {
      const key = keyOf(report.product, release);
      if (!this.#releases.has(key)) continue;
      isForeign = false;
      const row = this.#rowOf(key);
      const isTried = triedStates.includes(release.state);
      if (this.#vote(row, voter ?? release.device, release.state) && isTried)
        row.reached = Math.max(row.reached ?? 0, release.wavePercent);
    }
    if (isForeign) this.#log.foreign += 1;
  }

  #rowOf(key: string): Row {
    const row = this.#rows.get(key) ?? { states: new Map<string, number>(), reached: null };
    this.#rows.set(key, row);
    return row;
  }

  /** False: there is no room for it. */
  #vote({ states }: Row, voter: string, state: ReportedState): boolean {
    if (!states.has(voter)) {
      if (this.#devices >= this.#mostDevices) {
        this.#log.beyond_limit += 1;
        return false;
      }
      this.#devices += 1;
    }
    states.set(voter, reportedStates.indexOf(state));
    return true;
  }

  log(): LogFigures {
    return { ...this.#log };
  }

  /** Of each published release, newest first within its name. */
  figures(): readonly ReleaseFigures[] {
    const sorted = [...this.#releases].toSorted(
      ([, one], [, other]) =>
        one.product.localeCompare(other.product) ||
        one.kind.localeCompare(other.kind) ||
        one.name.localeCompare(other.name) ||
        compareVersions(other.version, one.version),
    );
    return sorted.map(([key, release]) => figuresOf(release, this.#rows.get(key)));
  }
}

function figuresOf(release: WatchedRelease, row: Row | undefined): ReleaseFigures {
  const counts = reportedStates.map(() => 0);
  for (const index of row?.states.values() ?? []) counts[index] = (counts[index] ?? 0) + 1;
  const states = Object.fromEntries(
    reportedStates.map((state, index) => [state, counts[index] ?? 0]),
  ) as Record<ReportedState, number>;
  const sum = (all: readonly ReportedState[]) => all.reduce((total, state) => total + states[state], 0);
  const [tried, undone] = [sum(triedStates), sum(undoneStates)];
  return {
    ...release,
    states,
    tried,
    undone,
    undone_percent: tried === 0 ? null : Math.round((undone / tried) * 10_000) / 100,
    reached_percent: row?.reached ?? null,
  };
}

function keyOf(product: string, { kind, name, version }: Pick<WatchedRelease, "kind" | "name" | "version">) {
  return [product, kind, name, version].join(" ");
}

/** The releases that the published metadata name. */
export function watchedReleases(published: Held): readonly WatchedRelease[] {
  const entries = releaseRoles.flatMap((role) =>
    Object.values(published[role]?.signed.targets ?? {}).flatMap(({ custom }) => readEntry(custom) ?? []),
  );
  const byKey = new Map(entries.map((entry) => [keyOf(entry.product, entry), entry]));
  return [...byKey.values()].map(({ product, kind, name, version }) => {
    const same = entries.filter((one) => one.product === product && one.kind === kind && one.name === name);
    const onOffer = same.filter((one) => one.version === version && !one.withdrawn && !one.paused);
    const channels = [...new Set(onOffer.map(({ channel }) => channel))];
    // Of all, those that were stopped too: the one before is known to work, and must not be stopped in their place.
    const newestIn = channels.filter((channel) =>
      same.every((one) => one.channel !== channel || compareVersions(one.version, version) <= 0),
    );
    return { product, kind, name, version, channels, newestIn };
  });
}
