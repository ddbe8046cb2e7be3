import type { TimeServer } from "../../contract/clock/time-server.ts";
import type { TimeProbe } from "../../contract/types.ts";
import type { SourceReason } from "../../contract/words/clock.ts";
import type { DatagramAddress, Timers } from "../../host/ports.ts";
import { deadlineSeconds, type Exchange, type Seal } from "../ntp/exchange.ts";
import { type NtpTarget, resolveServer, type ServerResolution } from "../ntp/resolve-server.ts";
import type { ExchangeOutcome, Sample } from "../ntp/sample.ts";
import {
  addSample,
  emptyRegister,
  estimateOf,
  rootDistance,
  type SourceEstimate,
} from "../ntp/sample-filter.ts";
import { keyExchangePort, type OpenAssociation, serverAddress } from "../ntp/source.ts";
import { candidateOf } from "../ntp/source-pool.ts";
import { type Selection, select } from "../select/select.ts";
import { reasonWithDetail } from "./details.ts";
import { restingRefusal } from "./refusals.ts";
import { failureReason } from "./source-view.ts";

export interface ProbeOptions extends ServerResolution {
  readonly exchange: Exchange;
  readonly openAssociation: OpenAssociation;
  readonly timers: Timers;
  readonly monotonic: () => number;
  /** True for a server of the settings, which may be at an address of this device or of its link. */
  readonly isSet: (host: string) => boolean;
}

/** Asks servers once. `hostOffsetSeconds`: what the host's own clock lacks of the one that is measured against. */
export type Probe = (servers: readonly TimeServer[], hostOffsetSeconds: number) => Promise<TimeProbe>;

/** Seconds for a name to be found: a resolver that is silent takes far longer to give up. */
const nameSeconds = 3;

/** Seconds for a server to show that it offers NTS. */
const offerSeconds = 2;

/** Seconds for a key exchange that was asked for: the start of its process, and a second address of the name. */
const keysSeconds = 10;

/** Seconds between two probes: public servers treat faster requests as an attack. */
const restSeconds = 2;

/** The failures of which a time server itself, its certificate or its name is the reason. */
const reportedFailures =
  /^(kiss|unsynchronised|stratum|root_distance|name_not_(found|answered)|no_address|local_address|nts_(refused|wrong_name|unknown_authority|bad_certificate|certificate_\w+|cannot_verify))\b/;

const asked = "Time servers were asked";

/** The answer of one server; `failure`: the reason that there is none. */
interface Heard {
  readonly host: string;
  readonly address: string | null;
  readonly estimate: SourceEstimate | null;
  readonly distanceSeconds: number | null;
  readonly failure: string | null;
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
  const asking = servers.map((server) => ({ server, keys: keysOf(options, server) }));
  const places = await Promise.all(asking.map(({ server, keys }) => placeOf(options, server, keys)));
  const taken = new Set<string>();
  const chosen = places.map((place): Question => {
    if ("failure" in place) return place;
    const { port, addresses, seal } = place;
    const address = addresses.find((one) => !taken.has(`${one} ${port}`));
    if (address === undefined) return { failure: "same_server" };
    taken.add(`${address} ${port}`);
    return { at: { address, port }, seal };
  });
  return Promise.all(
    asking.map(async ({ server, keys }, index): Promise<Heard> => {
      const question = chosen[index] ?? { failure: "no_address" };
      const [answer, found] = await Promise.all([askOne(options, question), keys]);
      return { host: server.host, nts: offerIn(server, found), ...answer };
    }),
  );
}

interface Failure {
  readonly failure: string;
}

/** A request that can be sent, or why there is none. */
type Question = Failure | { readonly at: DatagramAddress; readonly seal: Seal | undefined };

/** The server that takes the requests, and the seal of its keys. */
interface Keys {
  readonly target: NtpTarget;
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
async function placeOf(options: ProbeOptions, { host, nts }: TimeServer, keys: Promise<Keys | Failure>) {
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
function within<Answer extends object>(
  { timers }: ProbeOptions,
  seconds: number,
  answer: Promise<Answer>,
  silence: Failure,
): Promise<Answer | Failure> {
  return new Promise((settle) => {
    const stop = timers.after(seconds, () => settle(silence));
    const end = (found: Answer): void => {
      if ("failure" in found && !reportedFailures.test(String(found.failure))) return;
      stop();
      settle(found);
    };
    answer.then(end, () => undefined);
  });
}

async function askOne(
  options: ProbeOptions,
  question: Question,
): Promise<Pick<Heard, "address" | "estimate" | "distanceSeconds" | "failure">> {
  const nothing = { estimate: null, distanceSeconds: null };
  if ("failure" in question) return { address: null, ...nothing, failure: question.failure };
  const { address } = question.at;
  const answer = options.exchange(question.at, question.seal).then(sampleIn);
  const heard = await within(options, deadlineSeconds, answer, { failure: "timeout" });
  if ("failure" in heard) return { address, ...nothing, failure: heard.failure };
  const now = options.monotonic();
  const estimate = estimateOf(addSample(emptyRegister, heard), now);
  return { address, estimate, distanceSeconds: estimate && rootDistance(estimate, now), failure: null };
}

function sampleIn(outcome: ExchangeOutcome): Sample | Failure {
  if (outcome.kind === "sample") return outcome.sample;
  return { failure: outcome.kind === "kiss" ? `kiss ${outcome.code}` : outcome.reason };
}

function viewOf(heard: readonly Heard[], hostOffsetSeconds: number): TimeProbe {
  const candidates = heard.flatMap((one) => candidateOf(one.host, one));
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

/** null: it says what the majority of those that answer says. */
function reasonOf(host: string, failure: string | null, selection: Selection): SourceReason | null {
  if (failure !== null) return reasonWithDetail(failureReason(failure), null);
  const isFalse = selection.kind === "agreed" && selection.falsetickers.includes(host);
  if (!isFalse && selection.kind !== "no_majority") return null;
  return reasonWithDetail({ code: isFalse ? "majority_differs" : "no_majority", cause: null }, null);
}
