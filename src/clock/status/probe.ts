import type { TimeProbe } from "../../contract/types.ts";
import type { SourceReason } from "../../contract/words/clock.ts";
import type { ResolveHost, Timers } from "../../host/ports.ts";
import type { Exchange } from "../ntp/exchange.ts";
import {
  addSample,
  emptyRegister,
  estimateOf,
  rootDistance,
  type SourceEstimate,
} from "../ntp/sample-filter.ts";
import { serverAddress } from "../ntp/source.ts";
import type { Candidate } from "../select/candidate.ts";
import { type Selection, select } from "../select/select.ts";
import { reasonWithDetail } from "./details.ts";
import { restingRefusal } from "./refusals.ts";
import { failureReason } from "./source-view.ts";

export interface ProbeOptions {
  readonly exchange: Exchange;
  readonly resolve: ResolveHost;
  readonly timers: Timers;
  readonly monotonic: () => number;
}

/** Asks servers once. `hostOffsetSeconds`: what the host's own clock lacks of the one that is measured against. */
export type Probe = (servers: readonly string[], hostOffsetSeconds: number) => Promise<TimeProbe>;

/** Seconds for a name to be found: a resolver that is silent takes far longer to give up. */
const nameSeconds = 3;

/** Seconds between two probes: public servers treat faster requests as an attack. */
const restSeconds = 2;

const asked = "Time servers were asked";

/** The answer of one server; `failure`: the reason that there is none. */
interface Heard {
  readonly host: string;
  readonly address: string | null;
  readonly estimate: SourceEstimate | null;
  readonly distanceSeconds: number | null;
  readonly failure: string | null;
}

/** One probe at a time; it touches neither the sources of the clock nor what they have said. */
export function createProbe(options: ProbeOptions): Probe {
  const { monotonic } = options;
  let isRunning = false;
  let restsUntil = Number.NEGATIVE_INFINITY;
  return async (servers, hostOffsetSeconds) => {
    if (isRunning) throw restingRefusal(restSeconds, asked);
    if (monotonic() < restsUntil) throw restingRefusal(restsUntil - monotonic(), asked);
    isRunning = true;
    try {
      return viewOf(await ask(options, servers), hostOffsetSeconds);
    } finally {
      isRunning = false;
      restsUntil = monotonic() + restSeconds;
    }
  };
}

/** The names first, all of them: two that lead to one server must not count twice. */
async function ask(options: ProbeOptions, servers: readonly string[]): Promise<readonly Heard[]> {
  const found = await Promise.all(servers.map((server) => lookUp(options, serverAddress(server).host)));
  const taken = new Set<string>();
  const chosen = servers.map((server, index) => {
    const { port } = serverAddress(server);
    const addresses = found[index] ?? null;
    const address = addresses?.find((one) => !taken.has(`${one} ${port}`)) ?? null;
    if (address !== null) taken.add(`${address} ${port}`);
    return { server, port, addresses, address };
  });
  return Promise.all(
    chosen.map(({ server, port, addresses, address }) => {
      if (address !== null) return askOne(options, server, { address, port });
      const failure = addresses === null ? "name_not_found" : addresses[0] ? "same_server" : "no_address";
      return { host: server, address: null, estimate: null, distanceSeconds: null, failure };
    }),
  );
}

/** null: the name was not found, or not in time. */
function lookUp({ resolve, timers }: ProbeOptions, host: string): Promise<readonly string[] | null> {
  return new Promise((settle) => {
    const stop = timers.after(nameSeconds, () => settle(null));
    const end = (addresses: readonly string[] | null): void => {
      stop();
      settle(addresses);
    };
    resolve(host).then(end, () => end(null));
  });
}

async function askOne(
  { exchange, monotonic }: ProbeOptions,
  host: string,
  at: { readonly address: string; readonly port: number },
): Promise<Heard> {
  const outcome = await exchange(at);
  const { address } = at;
  if (outcome.kind !== "sample") {
    const failure = outcome.kind === "kiss" ? `kiss ${outcome.code}` : outcome.reason;
    return { host, address, estimate: null, distanceSeconds: null, failure };
  }
  const estimate = estimateOf(addSample(emptyRegister, outcome.sample), monotonic());
  return {
    ...{ host, address, estimate, failure: null },
    distanceSeconds: estimate && rootDistance(estimate, monotonic()),
  };
}

function viewOf(heard: readonly Heard[], hostOffsetSeconds: number): TimeProbe {
  const candidates = heard.flatMap(candidateOf);
  const selection = select(candidates, { minAgreeing: 1 });
  return {
    servers: heard.map(({ host, address, estimate, distanceSeconds, failure }) => ({
      ...{ host, address, answers: estimate !== null },
      reason: reasonOf(host, failure, selection),
      offset_seconds: estimate && hostOffsetSeconds + estimate.offsetSeconds,
      uncertainty_seconds: distanceSeconds,
      delay_seconds: estimate?.delaySeconds ?? null,
      stratum: estimate?.sample.stratum ?? null,
    })),
    answering: candidates.length,
    agreeing: selection.kind === "agreed" ? selection.survivors.length + selection.outliers.length : 0,
  };
}

function candidateOf({ host, estimate, distanceSeconds }: Heard): Candidate[] {
  if (estimate === null || distanceSeconds === null) return [];
  const { offsetSeconds, jitterSeconds, sample } = estimate;
  const { stratum } = sample;
  return [{ id: host, offsetSeconds, jitterSeconds, stratum, rootDistanceSeconds: distanceSeconds }];
}

/** null: it says what the majority of those that answer says. */
function reasonOf(host: string, failure: string | null, selection: Selection): SourceReason | null {
  if (failure !== null) return reasonWithDetail(failureReason(failure), null);
  const isFalse = selection.kind === "agreed" && selection.falsetickers.includes(host);
  if (!isFalse && selection.kind !== "no_majority") return null;
  return reasonWithDetail({ code: isFalse ? "majority_differs" : "no_majority", cause: null }, null);
}
