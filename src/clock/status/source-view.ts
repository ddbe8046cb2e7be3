import type { TimeSource } from "../../contract/types.ts";
import type { Verdict } from "../loop/verdict.ts";
import type { Ballot, SourcePool, Standing } from "../ntp/source-pool.ts";

/**
 * Each of our time servers as the API says it, in the order of the settings. `hostOffsetSeconds`: what the host's own
 * clock lacks against the one that they are measured by.
 */
export function sourceViews(
  pool: SourcePool,
  { verdict, hostOffsetSeconds }: { verdict: Verdict | null; hostOffsetSeconds: number },
): TimeSource[] {
  const last = pool.last();
  return pool.sources().map((source): TimeSource => {
    const standing = last?.standings.find((one) => one.source === source);
    const estimate = standing?.estimate ?? null;
    return {
      id: source.id,
      host: source.id,
      address: source.address()?.address ?? null,
      ...stateOf(standing ?? { source, estimate: null, distanceSeconds: null }, last, verdict),
      offset_seconds: estimate && hostOffsetSeconds + estimate.offsetSeconds,
      uncertainty_seconds: standing?.distanceSeconds ?? null,
      delay_seconds: estimate?.delaySeconds ?? null,
      jitter_seconds: estimate?.jitterSeconds ?? null,
      stratum: estimate?.sample.stratum ?? null,
      reach: source.reach(),
    };
  });
}

function stateOf(
  { source, estimate }: Standing,
  last: Ballot | null,
  verdict: Verdict | null,
): Pick<TimeSource, "state" | "reason"> {
  const denied = source.denied();
  if (denied !== null) return { state: "kod", reason: `it asked not to be asked (${denied})` };
  const failure = source.failure();
  if (failure?.startsWith("kiss ")) return { state: "kod", reason: "it asked to be asked less often (RATE)" };
  if (!estimate || !last) {
    if (failure === "same_server") return { state: "unused", reason: "the same server as another one" };
    return last || failure
      ? { state: "unreachable", reason: failure && inWords(failure) }
      : unused("not asked yet");
  }
  const remark = failure && `${inWords(failure)} the last time`;
  if (verdict?.kind === "suspect" && verdict.id === source.id) {
    return { state: "suspect", reason: "a second look at it gave another time" };
  }
  return votedState(source.id, last, remark);
}

function votedState(
  id: string,
  { selection, peer }: Ballot,
  remark: string | null,
): Pick<TimeSource, "state" | "reason"> {
  switch (selection.kind) {
    case "agreed":
      if (id === peer) return { state: "selected", reason: remark };
      if (selection.survivors.includes(id)) return { state: "candidate", reason: remark };
      if (selection.outliers.includes(id))
        return { state: "outlier", reason: "it scatters more than the others" };
      return { state: "falseticker", reason: "the majority says another time" };
    case "too_few":
      if (selection.falsetickers.includes(id)) {
        return { state: "falseticker", reason: "the majority says another time" };
      }
      return { state: "candidate", reason: "too few others say the same" };
    case "no_majority":
      return { state: "candidate", reason: "there is no majority that it could belong to" };
    case "none":
      return unused("not heard");
  }
}

function unused(reason: string): Pick<TimeSource, "state" | "reason"> {
  return { state: "unused", reason };
}

/** Reasons of exchanges and look-ups as people say them; a code of the system's stays as it is. */
const words: Readonly<Record<string, string>> = {
  timeout: "no answer",
  name_not_found: "its name is not found",
  no_address: "its name has no address",
  same_server: "the same server as another one",
  short: "an answer that is too short",
  long: "an answer that is too long",
  version: "an answer of another version of NTP",
  mode: "an answer that is none",
  origin: "answers to what was not asked",
  unsynchronised: "it does not know the time itself",
  stratum: "it is too far from any clock",
  no_time: "an answer without a time",
  root_distance: "it is too uncertain of the time",
  delay: "an answer that took an impossible time",
  ECONNREFUSED: "nothing listens there",
  ENETUNREACH: "there is no network to it",
  EHOSTUNREACH: "there is no way to it",
};

function inWords(failure: string): string {
  return words[failure] ?? failure;
}
