import type { TimeServer } from "../../contract/clock/time-server.ts";
import type { Settings, TimeProbe } from "../../contract/types.ts";
import type { SourceReason } from "../../contract/words/clock.ts";
import type { DatagramAddress } from "../../host/ports.ts";
import { deadlineSeconds, promptSeconds, type Seal } from "../ntp/exchange.ts";
import { type NtpTarget, resolveServer } from "../ntp/resolve-server.ts";
import type { ExchangeOutcome, Sample } from "../ntp/sample.ts";
import {
  addSample,
  emptyRegister,
  estimateOf,
  rootDistance,
  type SourceEstimate,
} from "../ntp/sample-filter.ts";
import { keyExchangePort, type SourceOptions, serverAddress } from "../ntp/source.ts";
import { agreeingNeeded, candidateOf } from "../ntp/source-pool.ts";
import { select } from "../select/select.ts";
import { type Bounds, implausible } from "../state/verdict.ts";
import { reasonWithDetail } from "./details.ts";
import { restingRefusal } from "./refusals.ts";
import { failureReason, votedState } from "./source-view.ts";

export interface ProbeOptions extends Omit<SourceOptions, "moved" | "counters" | "isTaken"> {
  /** The clock that is measured: seconds since 1970. */
  readonly wall: () => number;
  readonly floor: Bounds;
  readonly settings: () => Pick<Settings["time"], "min_agreeing" | "authenticated_only">;
  /** True for a server of the settings, which may be at an address of this device or of its link. */
  readonly isSet: (host: string) => boolean;
}

/** Asks servers once. `hostOffsetSeconds`: what the host's own clock lacks of the one that is measured against. */
export type Probe = (servers: readonly TimeServer[], hostOffsetSeconds: number) => Promise<TimeProbe>;

/** Seconds for a name to be found: a resolver that is silent takes far longer to give up. */
const nameSeconds = 3;

/** Seconds for a server to show that it offers NTS. */
const offerSeconds = 2;

/** Seconds for a key exchange that was asked for: the start of its process, and three addresses of the name. */
const keysSeconds = 16;

/** Seconds between two probes: public servers treat faster requests as an attack. */
const restSeconds = 2;

/** The failures of which a time server itself, its certificate or its name is the reason. */
const reportedFailures =
  /^(kiss|unsynchronised|stratum|root_distance|name_not_(found|answered)|no_address|local_address|nts_(refused|wrong_name|unknown_authority|bad_certificate|certificate_\w+|cannot_verify))\b/;

const asked = "Time servers were asked";

/** `failure`: the reason that there is no estimate. */
interface Answer {
  readonly address: string | null;
  readonly estimate: SourceEstimate | null;
  readonly distanceSeconds: number | null;
  readonly failure: string | null;
}

interface Heard extends Answer {
  readonly host: string;
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
      return viewOf(options, await ask(options, servers), hostOffsetSeconds);
    } finally {
      isRunning = false;
      restsUntil = monotonic() + restSeconds;
    }
  };
}

async function ask(options: ProbeOptions, servers: readonly TimeServer[]): Promise<readonly Heard[]> {
  const asking = servers.map((server) => ({ server, keys: keysOf(options, server) }));
  // The names first, all of them: two that lead to one server must not count twice.
  const places = await Promise.all(asking.map(({ server, keys }) => placeOf(options, server, keys)));
  const taken = new Set<string>();
  return Promise.all(
    asking.map(async ({ server, keys }, index): Promise<Heard> => {
      const place = places[index] ?? { failure: "no_address" };
      const [answer, found] = await Promise.all([askInTurn(options, place, taken), keys]);
      return { host: server.host, nts: offerIn(server, found), ...answer };
    }),
  );
}

interface Failure {
  readonly failure: string;
}

/** The server that takes the requests, and the seal of its keys. */
interface Keys {
  readonly target: NtpTarget;
  readonly seal: Seal | undefined;
}

/** The addresses of a server, in the order in which the agent would ask them. */
interface Place {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly seal: Seal | undefined;
}

const noKeys: Failure = { failure: "nts_no_answer" };

/** The keys of a server; of a plain one too, whose offer of NTS is at the usual port. */
async function keysOf(options: ProbeOptions, { host, nts }: TimeServer): Promise<Keys | Failure> {
  const server = { ...serverAddress(host, keyExchangePort), isForeign: !options.isSet(host) };
  const opened = options.openAssociation(nts ? server : { ...server, port: keyExchangePort });
  const target = opened.then((association) => association.target({ isAsked: true }));
  const found = await within(options, nts ? keysSeconds : offerSeconds, target, noKeys);
  return "failure" in found ? found : { target: found, seal: (await opened).seal };
}

/** null: it has been asked for keys, and the exchange failed for another reason. */
function offerIn({ nts }: TimeServer, keys: Keys | Failure): Heard["nts"] {
  if (!("failure" in keys)) return "offered";
  return nts && keys.failure !== noKeys.failure ? null : "not_offered";
}

/** The addresses that take a server's requests, after the key exchange where it has NTS; or why there are none. */
async function placeOf(
  options: ProbeOptions,
  { host, nts }: TimeServer,
  keys: Promise<Keys | Failure>,
): Promise<Place | Failure> {
  if (!nts && options.settings().authenticated_only) return { failure: "not_authenticated" };
  const plain = { target: { ...serverAddress(host), isForeign: !options.isSet(host) }, seal: undefined };
  const found = nts ? await keys : plain;
  if ("failure" in found) return found;
  const { target, seal } = found;
  const lookUp = resolveServer(options, target);
  const addresses = await within(options, nameSeconds, lookUp, { failure: "name_not_answered" });
  return "failure" in addresses ? addresses : { port: target.port, addresses, seal };
}

/**
 * The answer as soon as it is there; every failure that a time server did not tell of is `silence`, at the end of the time
 * (s). A closed port, one that drops packets and one where something else listens would otherwise differ, and a
 * token for the clock would scan the network (docs/design/threat-model.md).
 */
function within<Found extends object>(
  { timers }: ProbeOptions,
  seconds: number,
  answer: Promise<Found>,
  silence: Failure,
): Promise<Found | Failure> {
  return new Promise((settle) => {
    const stop = timers.after(seconds, () => settle(silence));
    const end = (found: Found): void => {
      if ("failure" in found && !reportedFailures.test(String(found.failure))) return;
      stop();
      settle(found);
    };
    answer.then(end, () => undefined);
  });
}

/**
 * The first address that gives the time and was not asked for another server; else the last failure. Each is asked a second
 * after the one before, whether that is silent, late or closed, so that the order says nothing of its ports.
 */
async function askInTurn(options: ProbeOptions, place: Place | Failure, taken: Set<string>): Promise<Answer> {
  if ("failure" in place) return { ...nothing, failure: place.failure };
  const { addresses, port, seal } = place;
  const asked: Promise<Answer>[] = [];
  for (const address of addresses) {
    if (taken.has(`${address} ${port}`)) continue;
    taken.add(`${address} ${port}`);
    asked.push(askOne(options, { address, port }, seal));
    let stop = (): void => undefined;
    const second = new Promise<null>((resolve) => {
      stop = options.timers.after(promptSeconds, () => resolve(null));
    });
    const first = await Promise.race([givenBy(asked), second]);
    stop();
    if (first !== null) return first;
  }
  const answers = await Promise.all(asked);
  const given = answers.find(({ failure }) => failure === null);
  return given ?? answers.at(-1) ?? { ...nothing, failure: "same_server" };
}

const nothing = { address: null, estimate: null, distanceSeconds: null };

async function askOne(options: ProbeOptions, at: DatagramAddress, seal: Seal | undefined): Promise<Answer> {
  const { address } = at;
  const answer = options.exchange(at, seal, true).then(sampleIn);
  const heard = await within(options, deadlineSeconds, answer, { failure: "timeout" });
  if ("failure" in heard) return { ...nothing, address, failure: heard.failure };
  const now = options.monotonic();
  const estimate = estimateOf(addSample(emptyRegister, heard), now);
  return { address, estimate, distanceSeconds: estimate && rootDistance(estimate, now), failure: null };
}

/** The first of them with the time; null as soon as none has it. */
function givenBy(asked: readonly Promise<Answer>[]): Promise<Answer | null> {
  const given = asked.map(async (answer) => {
    if ((await answer).failure !== null) throw new Error("no time");
    return answer;
  });
  return Promise.any(given).catch(() => null);
}

function sampleIn(outcome: ExchangeOutcome): Sample | Failure {
  if (outcome.kind === "sample") return outcome.sample;
  return { failure: outcome.kind === "kiss" ? `kiss ${outcome.code}` : outcome.reason };
}

/** The answers, judged as the agent would judge them if these were its servers. */
function viewOf(options: ProbeOptions, heard: readonly Heard[], hostOffsetSeconds: number): TimeProbe {
  const candidates = heard.flatMap((one) => candidateOf(one.host, one));
  const admitted = heard.filter(({ failure }) => failure !== "not_authenticated").length;
  const selection = select(candidates, { minAgreeing: agreeingNeeded(admitted, options.settings()) });
  const isAgreed = selection.kind === "agreed";
  const verdict = isAgreed ? implausible(options.wall() + selection.offsetSeconds, options.floor) : null;
  const reasonOf = (host: string, failure: string | null): SourceReason | null => {
    if (failure !== null) return reasonWithDetail(failureReason(failure), null);
    const { state, reason } = votedState(host, { selection, peer: null, verdict }, null);
    // One answer does not show how much a server varies.
    return reason === null || state === "outlier" ? null : reasonWithDetail(reason, null);
  };
  return {
    servers: heard.map(({ host, nts, address, estimate, distanceSeconds, failure }) => ({
      ...{ host, nts, address, answers: estimate !== null },
      reason: reasonOf(host, failure),
      offset_seconds: estimate && hostOffsetSeconds + estimate.offsetSeconds,
      uncertainty_seconds: distanceSeconds,
      delay_seconds: estimate?.delaySeconds ?? null,
      stratum: estimate?.sample.stratum ?? null,
    })),
    answering: candidates.length,
    agreeing: isAgreed && verdict === null ? selection.survivors.length + selection.outliers.length : 0,
  };
}
