import { systemErrorCode } from "../../contract/errors.ts";
import type {
  ClockDriver,
  ClockReading,
  DatagramAddress,
  DatagramConnection,
  Datagrams,
  Timers,
} from "../../host/ports.ts";
import { type DecodedPacket, decodeReply, encodeRequest } from "./ntp-packet.ts";
import { type Passage, readingAtArrival, sampleOf } from "./on-wire.ts";
import { type BadPacket, distanceOf, type ExchangeOutcome, type KissCode, type Sample } from "./sample.ts";

/** Seconds that a round waits for an answer: over a geostationary satellite, the slowest usual path, it takes 0.7 s. */
export const promptSeconds = 1;

/** Seconds after which an answer is worth nothing: 2G and NB-IoT take two to four, and half of them is its uncertainty. */
export const deadlineSeconds = 5;

/** Servers that are known to answer late. */
const mostLate = 64;

/** Bad packets that are reported: a flood of them must not fill the memory. */
const mostIgnored = 256;

export interface ExchangeOptions {
  readonly driver: Pick<ClockDriver, "read">;
  readonly datagrams: Datagrams;
  readonly timers: Timers;
  /** Seconds since 1970 that every server's time is taken to be within 68 years of: the build date. */
  readonly pivotSeconds: number;
  /** Seconds: a time that may err by more is not used. */
  readonly mostDistanceSeconds: () => number;
  /** Uint8Array(8) from a cryptographic source, new at each call. */
  readonly randomNonce: () => Uint8Array;
}

/** A request as it goes out, and the check of the packets that come back. */
export interface SealedRequest {
  readonly packet: Uint8Array;
  /** The 48 bytes of an authentic reply's header, or the reason to reject the packet. */
  open(reply: Uint8Array): Uint8Array | BadPacket;
}

/** Makes a request of 48 bytes one that only its server can read and answer. */
export type Seal = (request: Uint8Array) => SealedRequest;

/**
 * Asks the server at a literal address once, and never rejects. With `seal` only an authentic reply counts, a
 * kiss-o'-death among them. It ends within `promptSeconds`, so that servers which are silent hold up no round; within
 * `deadlineSeconds` with `isPatient`, and where the server's last answer took longer than `promptSeconds`.
 */
export type Exchange = (
  address: DatagramAddress,
  seal?: Seal,
  isPatient?: boolean,
) => Promise<ExchangeOutcome>;

/** NTPv4 exchanges: one packet out from its own port, the first believable reply in. A forged one never ends an exchange. */
export function createExchange(options: ExchangeOptions): Exchange {
  const late = new Set<string>();
  return (address, seal = unsealed, isPatient = false) =>
    new Promise((resolve) => begin({ ...options, address, seal, isPatient, late }, resolve));
}

/** NTP without authentication: packets are sent and read as they are. */
const unsealed: Seal = (packet) => ({ packet, open: (reply) => reply });

interface Question extends ExchangeOptions {
  readonly address: DatagramAddress;
  readonly seal: Seal;
  readonly isPatient: boolean;
  /** Servers whose last answer came after `promptSeconds`; it is looked for until `deadlineSeconds`, awaited or not. */
  readonly late: Set<string>;
}

type Answer =
  | { readonly kind: "sample"; readonly sample: Sample }
  | { readonly kind: "kiss"; readonly code: KissCode }
  | { readonly kind: "bad"; readonly reason: BadPacket; readonly figures?: string };

type Ending = Exclude<Answer, { kind: "bad" }> | { readonly kind: "silent"; readonly reason: string };

function begin(question: Question, resolve: (outcome: ExchangeOutcome) => void): void {
  const ignored: BadPacket[] = [];
  const { timers, late } = question;
  const server = `${question.address.address} ${question.address.port}`;
  const isAwaited = question.isPatient || late.has(server);
  let lastBad: string | undefined;
  let isLate = false;
  let hasEnded = false;
  let close = (): void => undefined;
  const end = (ending: Ending): void => {
    if (hasEnded) return;
    hasEnded = true;
    for (const stop of stops) stop();
    close();
    const isAnswer = ending.kind !== "silent";
    if (late.size >= mostLate) late.clear();
    if (isAnswer && isLate) late.add(server);
    else if (isAnswer || isAwaited) late.delete(server);
    // Without effect where the round has not waited.
    resolve({ ...ending, ignored });
  };
  const onFailure = (code: string): void => end({ kind: "silent", reason: code });
  // Before the socket is opened, so that the time for that counts too.
  const stops = [
    timers.after(promptSeconds, () => {
      isLate = true;
      if (lastBad !== undefined) onFailure(lastBad);
      else if (!isAwaited) resolve({ kind: "silent", reason: "timeout", ignored: [] });
    }),
    timers.after(deadlineSeconds, () => onFailure(lastBad ?? "timeout")),
  ];
  const onAnswer = (answer: Answer): void => {
    if (answer.kind === "bad") {
      lastBad = answer.figures === undefined ? answer.reason : `${answer.reason} ${answer.figures}`;
      if (ignored.length < mostIgnored) ignored.push(answer.reason);
    } else end(answer);
  };
  ask(question, onAnswer, onFailure).then(
    (connection) => {
      close = () => connection.close();
      if (hasEnded) close();
    },
    (error) => onFailure(systemErrorCode(error) ?? "failed"),
  );
}

/** Opens the socket and sends the request; packets are judged and handed on until the connection is closed. */
async function ask(
  question: Question,
  onAnswer: (answer: Answer) => void,
  onFailure: (code: string) => void,
): Promise<DatagramConnection> {
  const { driver, datagrams, pivotSeconds, randomNonce, address, seal } = question;
  const nonce = randomNonce();
  const request = seal(encodeRequest(nonce));
  let sent: ClockReading = { wallSeconds: Number.NaN, monotonicSeconds: Number.POSITIVE_INFINITY };
  const onPacket = (packet: Uint8Array, ageSeconds: number): void => {
    try {
      // First of all: time spent before it would count as time on the wire.
      const arrived = readingAtArrival(sent, driver.read(), ageSeconds);
      const sentMonotonicSeconds = sent.monotonicSeconds;
      const passage = { sentMonotonicSeconds, arrived, longestSeconds: deadlineSeconds };
      const header = request.open(packet);
      if (typeof header === "string") onAnswer({ kind: "bad", reason: header });
      else
        onAnswer(
          judge(decodeReply(header, { nonce, pivotSeconds }), passage, question.mostDistanceSeconds()),
        );
    } catch (error) {
      onFailure(systemErrorCode(error) ?? "failed");
    }
  };
  const connection = await datagrams.connect(address, { onPacket, onFailure });
  try {
    sent = driver.read();
    connection.send(request.packet);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function judge(decoded: DecodedPacket, passage: Passage, most: number): Answer {
  if (decoded.kind !== "reply") return decoded;
  const sample = sampleOf(decoded, passage);
  if (sample === null) return { kind: "bad", reason: "delay" };
  const distance = distanceOf(sample);
  if (distance <= most) return { kind: "sample", sample };
  return {
    kind: "bad",
    reason: "root_distance",
    figures: `${Math.ceil(distance * 1e3) / 1e3} s > ${most} s`,
  };
}
