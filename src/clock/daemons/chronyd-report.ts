import { isVoting } from "../../contract/clock/source-intervals.ts";
import { isMajority } from "../discipline/discipline.ts";
import type { Authentication } from "./chrony-authentication.ts";
import type { ChronycReport, ChronySource } from "./chronyc-report.ts";
import type { DaemonReport, DaemonSource } from "./external-daemon.ts";

/** Reference ids that do not name a source: none, and `local` (chrony.conf(5)), where chronyd believes its own clock. */
const noReference = ["00000000", "7f7f0101"];

/** Seconds of root distance up to which chronyd's time is accepted while none of its sources is selectable: its own default of `maxdistance`. */
const longestDistanceSeconds = 3;

const leaps = {
  Normal: "none",
  "Insert second": "insert",
  "Delete second": "delete",
  "Not synchronised": "unknown",
} as const satisfies Readonly<Record<ChronycReport["tracking"]["leap"], DaemonReport["leap"]>>;

/** More than chronyc says of a source to any user, by its name there. */
export interface ChronySourceFacts {
  /** Its name in the configuration. */
  readonly hostOf: (name: string) => string;
  /** undefined: not known. */
  readonly authenticationOf: (name: string) => Authentication | undefined;
}

export function reportOfChrony(
  report: ChronycReport,
  facts: ChronySourceFacts,
): Omit<DaemonReport, "isReadOnly" | "trouble"> {
  const { tracking, sources } = report;
  const selected = sources.find(({ state }) => state === "*");
  const told = sources.map((source) => sourceOf(source, report, facts));
  const trust = trustIn(report);
  return {
    isSynchronised: hasReference(report),
    trust,
    authenticated: trust !== "none" && isAuthenticatedIn(told),
    offsetSeconds: tracking.offsetSeconds,
    uncertaintySeconds: hasReference(report) ? distanceOf(report) : null,
    rootDelaySeconds: tracking.rootDelaySeconds,
    rootDispersionSeconds: tracking.rootDispersionSeconds,
    // chronyc gives the error of the oscillator; the kernel corrects it the other way.
    frequencyPpm: 0 - tracking.frequencyPpm,
    leap: leaps[tracking.leap],
    pollSeconds: selected === undefined ? null : 2 ** selected.poll,
    source:
      selected === undefined
        ? null
        : {
            id: selected.name,
            host: facts.hostOf(selected.name),
            stratum: selected.stratum,
            refid: tracking.refid,
          },
    sources: told,
    configured: [...new Set(told.map(({ host }) => host))],
  };
}

/** True where chronyd follows, or followed, a source other than its own clock. */
export function hasReference({ tracking }: ChronycReport): boolean {
  return tracking.leap !== "Not synchronised" && !noReference.includes(tracking.refid);
}

/** chronyc(1): the clock's error is at most |offset| + root dispersion + half the root delay. */
function distanceOf({ tracking }: ChronycReport): number {
  return tracking.rootDispersionSeconds + tracking.rootDelaySeconds / 2;
}

function trustIn(report: ChronycReport): DaemonReport["trust"] {
  if (!hasReference(report)) return "none";
  const selectable = report.sources.filter(({ state }) => ["*", "+", "-"].includes(state)).length;
  // chronyd itself needs a majority of the sources that answer; here those that it cannot reach count as configured too.
  if (isMajority({ agreeing: selectable, configured: report.sources.length })) return "trusted";
  // Fewer sources, or none at present: its last measurement still counts for a while.
  return selectable > 0 || distanceOf(report) <= longestDistanceSeconds ? "accepted" : "none";
}

/** A single source that is configured only has to be authenticated itself: its time is `accepted`. */
function isAuthenticatedIn(sources: readonly DaemonSource[]): boolean {
  const agreeing = sources.filter((source) => isVoting(source) && source.authenticated).length;
  const configured = sources.length;
  return configured === 1 ? agreeing === 1 : isMajority({ agreeing, configured });
}

function sourceOf(
  source: ChronySource,
  { tracking, statistics }: ChronycReport,
  { hostOf, authenticationOf }: ChronySourceFacts,
): DaemonSource {
  const { mode, name, last } = source;
  const authentication = authenticationOf(name) ?? "none";
  const spread = statistics.find((line) => line.name === name);
  return {
    id: name,
    host: hostOf(name),
    address: mode === "#" ? null : name,
    ...stateOf(source),
    // The offset of the source from chronyd's time, and of that from the host's clock.
    offset_seconds: last === null ? null : tracking.offsetSeconds - last.offsetSeconds,
    uncertainty_seconds: last === null ? null : last.errorSeconds,
    // Only root can read the delay to one source (`ntpdata`).
    delay_seconds: null,
    // Two samples do not scatter around a line; chronyd gives 4 s where it does not know.
    jitter_seconds: spread === undefined || spread.samples < 3 ? null : spread.deviationSeconds,
    stratum: last === null ? null : source.stratum,
    reach: source.reach,
    nts: authentication === "nts",
    // chronyd drops answers of it that are not authentic, so each that it has is.
    authenticated: authentication !== "none" && last !== null,
  };
}

type StateAndReason = Pick<DaemonSource, "state" | "reason">;

/** By the sign of chronyc; any other is of a source that is not selectable. */
const states: Readonly<Record<string, StateAndReason>> = {
  "*": { state: "selected", reason: null },
  "+": { state: "candidate", reason: null },
  "-": { state: "outlier", reason: { code: "not_preferred", cause: null } },
  x: { state: "falseticker", reason: { code: "majority_differs", cause: null } },
  "~": { state: "suspect", reason: { code: "varies", cause: null } },
};

function stateOf({ state, reach }: ChronySource): StateAndReason {
  if (reach === 0) return states[state] ?? { state: "unreachable", reason: { code: "timeout", cause: null } };
  return states[state] ?? { state: "unused", reason: { code: "not_selected", cause: null } };
}
