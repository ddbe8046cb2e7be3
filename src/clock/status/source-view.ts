import { sourceReasonCodes } from "../../contract/clock-states.ts";
import type { TimeSource } from "../../contract/types.ts";
import type { SourceReason } from "../../contract/words/clock.ts";
import { badPacketCodes } from "../ntp/sample.ts";
import type { Ballot, RatedSource, SourcePool } from "../ntp/source-pool.ts";
import type { Verdict } from "../state/verdict.ts";
import { reasonWithDetail } from "./details.ts";

/** The configured time servers as the API says them, in their order. `hostOffsetSeconds`: what the host's own clock lacks. */
export function sourceViews(
  pool: SourcePool,
  { verdict, hostOffsetSeconds }: { verdict: Verdict | null; hostOffsetSeconds: number },
): TimeSource[] {
  const last = pool.last();
  return pool.sources().map((source): TimeSource => {
    const rated = last?.ratedSources.find((one) => one.source === source);
    const estimate = rated?.estimate ?? null;
    const unheard = { source, estimate: null, distanceSeconds: null };
    const { state, reason } = pool.isAdmitted(source)
      ? stateOf(rated ?? unheard, last, verdict)
      : notAuthenticated;
    return {
      id: source.id,
      host: source.id,
      address: source.address()?.address ?? null,
      ...{ nts: source.nts, authenticated: source.nts && estimate !== null && !source.isProvisional() },
      ...{ state, reason: reason && reasonWithDetail(reason, state) },
      offset_seconds: estimate && hostOffsetSeconds + estimate.offsetSeconds,
      uncertainty_seconds: rated?.distanceSeconds ?? null,
      delay_seconds: estimate?.delaySeconds ?? null,
      jitter_seconds: estimate?.jitterSeconds ?? null,
      stratum: estimate?.sample.stratum ?? null,
      reach: source.reach(),
    };
  });
}

type Reason = Omit<SourceReason, "detail">;

interface StateAndReason {
  readonly state: TimeSource["state"];
  readonly reason: Reason | null;
}

const notAuthenticated: StateAndReason = { state: "unused", reason: reasonOf("not_authenticated") };

function stateOf(
  { source, estimate }: RatedSource,
  last: Ballot | null,
  verdict: Verdict | null,
): StateAndReason {
  const failure = source.failure();
  if (failure?.startsWith("kiss ")) return { state: "kod", reason: failureReason(failure) };
  if (!estimate || !last) {
    if (failure === "same_server") return { state: "unused", reason: failureReason(failure) };
    if (failure !== null) return { state: "unreachable", reason: failureReason(failure) };
    if (last) return { state: "unreachable", reason: null };
    // Its answers do not count any more, as another clock is measured now, or the settings are others.
    return { state: "unused", reason: reasonOf(source.reach() === 0 ? "not_asked" : "not_selected") };
  }
  if (source.isProvisional()) return { state: "unused", reason: reasonOf("nts_not_confirmed") };
  if (verdict?.kind === "suspect" && verdict.id === source.id) {
    return { state: "suspect", reason: reasonOf("second_opinion_differs") };
  }
  return votedState(source.id, { ...last, verdict }, failure === null ? null : failureReason(failure));
}

interface Vote extends Pick<Ballot, "selection" | "peer"> {
  readonly verdict: Verdict | null;
}

/** `remark`: why the last poll of the source failed, although the source is still used. */
export function votedState(
  id: string,
  { selection, peer, verdict }: Vote,
  remark: Reason | null,
): StateAndReason {
  const falseticker = { state: "falseticker", reason: reasonOf("majority_differs") } as const;
  switch (selection.kind) {
    case "agreed":
      if (selection.falsetickers.includes(id)) return falseticker;
      if (verdict?.kind === "below_floor" || verdict?.kind === "beyond_ceiling")
        return { state: "unused", reason: reasonOf(verdict.kind) };
      if (id === peer) return { state: "selected", reason: remark };
      if (selection.survivors.includes(id)) return { state: "candidate", reason: remark };
      return { state: "outlier", reason: reasonOf("scatters") };
    case "too_few":
      return selection.falsetickers.includes(id)
        ? falseticker
        : { state: "candidate", reason: reasonOf("too_few_agree") };
    case "no_majority":
      return { state: "candidate", reason: reasonOf("no_majority") };
    case "none":
      return { state: "unused", reason: reasonOf("not_heard") };
  }
}

function reasonOf(code: SourceReason["code"], cause: string | null = null): Reason {
  return { code, cause };
}

/** Failures whose code in the contract is another word; where every packet was a bad one, the last is the failure. */
const failureCodes: Readonly<Record<string, SourceReason["code"]>> = {
  ...badPacketCodes,
  ECONNREFUSED: "connection_refused",
  ENETUNREACH: "network_unreachable",
  EHOSTUNREACH: "host_unreachable",
};

/** The reason why an exchange, a key exchange or a look-up of a name brought nothing: a word, and its cause. */
export function failureReason(failure: string): Reason {
  const [word = "", ...more] = failure.split(" ");
  const cause = more.length > 0 ? more.join(" ") : null;
  if (word === "kiss") return reasonOf(cause === "RATE" ? "kiss_rate" : "kiss_denied", cause);
  const code = failureCodes[word] ?? sourceReasonCodes.find((one) => one === word) ?? "system_error";
  return reasonOf(code, cause ?? (word === code ? null : word));
}
