import type { TimeSource } from "../../contract/types.ts";
import type { SourceReason } from "../../contract/words/clock.ts";
import type { BadPacket } from "../ntp/sample.ts";
import type { Ballot, RatedSource, SourcePool } from "../ntp/source-pool.ts";
import type { Verdict } from "../state/verdict.ts";
import { reasonWithDetail } from "./details.ts";

/**
 * Each configured time server as the API says it, in the order of the settings. `hostOffsetSeconds`: what the host's own
 * clock lacks of the steered one.
 */
export function sourceViews(
  pool: SourcePool,
  { verdict, hostOffsetSeconds }: { verdict: Verdict | null; hostOffsetSeconds: number },
): TimeSource[] {
  const last = pool.last();
  return pool.sources().map((source): TimeSource => {
    const rated = last?.ratedSources.find((one) => one.source === source);
    const estimate = rated?.estimate ?? null;
    const unheard = { source, estimate: null, distanceSeconds: null };
    const { state, reason } = stateOf(rated ?? unheard, last, verdict);
    return {
      id: source.id,
      host: source.id,
      address: source.address()?.address ?? null,
      ...{ nts: false, authenticated: false },
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

function stateOf(
  { source, estimate }: RatedSource,
  last: Ballot | null,
  verdict: Verdict | null,
): StateAndReason {
  const denied = source.denied();
  if (denied !== null) return { state: "kod", reason: reasonOf("kiss_denied", denied) };
  const failure = source.failure();
  if (failure?.startsWith("kiss ")) return { state: "kod", reason: failureReason(failure) };
  if (!estimate || !last) {
    if (failure === "same_server") return { state: "unused", reason: failureReason(failure) };
    return last || failure
      ? { state: "unreachable", reason: failure === null ? null : failureReason(failure) }
      : { state: "unused", reason: reasonOf("not_asked") };
  }
  if (verdict?.kind === "suspect" && verdict.id === source.id) {
    return { state: "suspect", reason: reasonOf("second_opinion_differs") };
  }
  return votedState(source.id, last, failure === null ? null : failureReason(failure));
}

/** `remark`: why the last poll of the source failed, although the source is still used. */
function votedState(id: string, { selection, peer }: Ballot, remark: Reason | null): StateAndReason {
  const falseticker = { state: "falseticker", reason: reasonOf("majority_differs") } as const;
  switch (selection.kind) {
    case "agreed":
      if (id === peer) return { state: "selected", reason: remark };
      if (selection.survivors.includes(id)) return { state: "candidate", reason: remark };
      return selection.outliers.includes(id)
        ? { state: "outlier", reason: reasonOf("scatters") }
        : falseticker;
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

/** The codes of packets that were not believed: where every packet was one, the last of them is the failure. */
const badPacketCodes: Readonly<Record<BadPacket, SourceReason["code"]>> = {
  unsynchronised: "server_unsynchronised",
  stratum: "server_unsynchronised",
  root_distance: "too_uncertain",
  short: "bad_packet",
  long: "bad_packet",
  version: "bad_packet",
  mode: "bad_packet",
  origin: "bad_packet",
  no_time: "bad_packet",
  delay: "bad_packet",
  nts_nak: "nts_nak",
  not_authentic: "not_authentic",
};

/** Failures of exchanges and look-ups with a code of their own in the contract. */
const failureCodes: Readonly<Record<string, SourceReason["code"]>> = {
  ...badPacketCodes,
  timeout: "timeout",
  name_not_found: "name_not_found",
  no_address: "no_address",
  same_server: "same_server",
  ECONNREFUSED: "connection_refused",
  ENETUNREACH: "network_unreachable",
  EHOSTUNREACH: "host_unreachable",
};

/** The reason why an exchange or a look-up of a name brought nothing. */
export function failureReason(failure: string): Reason {
  if (failure.startsWith("kiss ")) return reasonOf("kiss_rate", failure.slice("kiss ".length));
  const code = failureCodes[failure] ?? "system_error";
  return reasonOf(code, failure === code ? null : failure);
}
