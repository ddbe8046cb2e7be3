import type { TimeServer } from "../../contract/clock/time-server.ts";
import type { TimeProbe } from "../../contract/types.ts";
import type { SourceReason } from "../../contract/words/clock.ts";
import type { DatagramAddress, ResolveHost, Timers } from "../../host/ports.ts";
import type { Exchange, Seal } from "../ntp/exchange.ts";
import {
  addSample,
  emptyRegister,
  estimateOf,
  rootDistance,
  type SourceEstimate,
} from "../ntp/sample-filter.ts";
import {
  keyExchangePort,
  type NtpTarget,
  ntpPort,
  type OpenAssociation,
  serverAddress,
} from "../ntp/source.ts";
import type { Candidate } from "../select/candidate.ts";
import { type Selection, select } from "../select/select.ts";
import { reasonWithDetail } from "./details.ts";
import { restingRefusal } from "./refusals.ts";
import { failureReason } from "./source-view.ts";

export interface ProbeOptions {
  readonly exchange: Exchange;
  readonly openAssociation: OpenAssociation;
  readonly resolve: ResolveHost;
  readonly timers: Timers;
  readonly monotonic: () => number;
}

/** Asks servers once. `hostOffsetSeconds`: what the host's own clock lacks of the one that is measured against. */
export type Probe = (servers: readonly TimeServer[], hostOffsetSeconds: number) => Promise<TimeProbe>;

/** Seconds for a name to be found: a resolver that is silent takes far longer to give up. */
const nameSeconds = 3;

/** Seconds for a server to show that it offers NTS: a firewall that drops packets would hold up the answer. */
const offerSeconds = 2;

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
  /** null: not known in time. */
  readonly nts: "offered" | "not_offered" | null;
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
async function ask(options: ProbeOptions, servers: readonly TimeServer[]): Promise<readonly Heard[]> {
  const offers = servers.map((server) => offerOf(options, server));
  const places = await Promise.all(servers.map((server) => placeOf(options, server)));
  const taken = new Set<string>();
  const chosen = places.map((place): Question => {
    if (typeof place === "string") return { failure: place };
    const { port, addresses, seal } = place;
    const address = addresses.find((one) => !taken.has(`${one} ${port}`));
    if (address === undefined) return { failure: addresses.length > 0 ? "same_server" : "no_address" };
    taken.add(`${address} ${port}`);
    return { at: { address, port }, seal };
  });
  return Promise.all(
    servers.map(async (server, index): Promise<Heard> => {
      const { host } = server;
      const question = chosen[index] ?? { failure: "no_address" };
      const [answer, nts] = await Promise.all([askOne(options, question), offers[index] ?? null]);
      return { host, nts: nts ?? offerIn(server, question), ...answer };
    }),
  );
}

/** A request that can be sent, or why there is none. */
type Question =
  | { readonly failure: string }
  | { readonly at: DatagramAddress; readonly seal: Seal | undefined };

/** The addresses that take a server's requests, after a key exchange where it has NTS; or why there are none. */
async function placeOf(
  options: ProbeOptions,
  { host, nts }: TimeServer,
): Promise<string | { port: number; addresses: readonly string[]; seal: Seal | undefined }> {
  if (!nts) {
    const server = serverAddress(host, ntpPort);
    const found = await placesAt(options, server);
    return found ? { ...found, seal: undefined } : "name_not_found";
  }
  const association = await options.openAssociation(serverAddress(host, keyExchangePort));
  const target = await association.target({ isAsked: true });
  if ("failure" in target) return target.failure;
  const found = await placesAt(options, target);
  return found ? { ...found, seal: association.seal } : "name_not_found";
}

async function placesAt(
  options: ProbeOptions,
  { host, port }: NtpTarget,
): Promise<{ port: number; addresses: readonly string[] } | null> {
  const addresses = await lookUp(options, host);
  return addresses && { port, addresses };
}

/** The offer of a server that was asked for keys; null: the exchange failed for another reason, or none was made. */
function offerIn({ nts }: TimeServer, question: Question): Heard["nts"] {
  if (!nts) return null;
  if (!("failure" in question)) return "offered";
  return question.failure.startsWith("nts_not_offered") ? "not_offered" : null;
}

/** A plain server's offer of NTS, at the usual port; null: not known in time, or it was asked for already. */
function offerOf(
  { openAssociation, timers }: ProbeOptions,
  { host, nts }: TimeServer,
): Promise<Heard["nts"]> {
  // The key exchange that comes before its request says more.
  if (nts) return Promise.resolve(null);
  return new Promise((settle) => {
    const stop = timers.after(offerSeconds, () => settle(null));
    const server = { ...serverAddress(host, ntpPort), port: keyExchangePort };
    const end = (offer: Heard["nts"]): void => {
      stop();
      settle(offer);
    };
    openAssociation(server)
      .then((association) => association.target({ isAsked: true }))
      .then(
        (target) => end("failure" in target ? "not_offered" : "offered"),
        () => end(null),
      );
  });
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
  question: Question,
): Promise<Pick<Heard, "address" | "estimate" | "distanceSeconds" | "failure">> {
  const nothing = { estimate: null, distanceSeconds: null };
  if ("failure" in question) return { address: null, ...nothing, failure: question.failure };
  const { address } = question.at;
  const outcome = await exchange(question.at, question.seal);
  if (outcome.kind !== "sample") {
    const failure = outcome.kind === "kiss" ? `kiss ${outcome.code}` : outcome.reason;
    return { address, ...nothing, failure };
  }
  const estimate = estimateOf(addSample(emptyRegister, outcome.sample), monotonic());
  const distanceSeconds = estimate && rootDistance(estimate, monotonic());
  return { address, estimate, distanceSeconds, failure: null };
}

function viewOf(heard: readonly Heard[], hostOffsetSeconds: number): TimeProbe {
  const candidates = heard.flatMap(candidateOf);
  const selection = select(candidates, { minAgreeing: 1 });
  return {
    servers: heard.map(({ host, nts, address, estimate, distanceSeconds, failure }) => ({
      ...{ host, nts, address, answers: estimate !== null },
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
