import { systemErrorCode } from "../../contract/errors.ts";
import type {
  ClockDriver,
  ClockReading,
  DatagramAddress,
  DatagramConnection,
  Datagrams,
  Timers,
} from "../../host/ports.ts";
import { decodeReply, type Expectation, encodeRequest } from "./ntp-packet.ts";
import { type Passage, readingAtArrival, sampleOf } from "./on-wire.ts";
import type { BadPacket, ExchangeOutcome, KissCode, Sample } from "./sample.ts";

/**
 * Seconds until an exchange ends without a reply. The slowest ordinary path, over a geostationary satellite, takes
 * 0.7 s; half of a longer one would already be most of the uncertainty that a sample may have.
 */
export const deadlineSeconds = 1;

/** Bad packets that are reported: a flood of them must not fill the memory. */
const mostIgnored = 256;

export interface ExchangeOptions {
  readonly driver: Pick<ClockDriver, "read">;
  readonly datagrams: Datagrams;
  readonly timers: Timers;
  /** Seconds since 1970 that every server's time is taken to be within 68 years of: the build date. */
  readonly pivotSeconds: number;
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
 * Asks the server at a literal address once; ends within `deadlineSeconds` and never rejects. With `seal` only an authentic
 * reply counts, a kiss-o'-death among them.
 */
export type Exchange = (address: DatagramAddress, seal?: Seal) => Promise<ExchangeOutcome>;

/**
 * NTPv4 client exchanges, any number at a time: one packet out, from a port of its own, and the first believable reply
 * in. A packet that is not believed never ends an exchange: a forged one could otherwise cancel the good reply.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  return (address, seal = unsealed) =>
    new Promise((resolve) => begin({ ...options, address, seal }, resolve));
}

/** NTP without authentication: packets are sent and read as they are. */
const unsealed: Seal = (packet) => ({ packet, open: (reply) => reply });

interface Question extends ExchangeOptions {
  readonly address: DatagramAddress;
  readonly seal: Seal;
}

/** The verdict on one packet. */
type Answer =
  | { readonly kind: "sample"; readonly sample: Sample }
  | { readonly kind: "kiss"; readonly code: KissCode }
  | { readonly kind: "bad"; readonly reason: BadPacket };

type Ending = Exclude<Answer, { kind: "bad" }> | { readonly kind: "silent"; readonly reason: string };

function begin(question: Question, resolve: (outcome: ExchangeOutcome) => void): void {
  const ignored: BadPacket[] = [];
  let lastBad: BadPacket | undefined;
  let hasEnded = false;
  let close = (): void => undefined;
  const end = (ending: Ending): void => {
    if (hasEnded) return;
    hasEnded = true;
    stopTimer();
    close();
    resolve({ ...ending, ignored });
  };
  const onFailure = (code: string): void => end({ kind: "silent", reason: code });
  // Before the socket is opened, so that the time for that counts too.
  const stopTimer = question.timers.after(deadlineSeconds, () => onFailure(lastBad ?? "timeout"));
  const onAnswer = (answer: Answer): void => {
    if (answer.kind === "bad") {
      lastBad = answer.reason;
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
  { driver, datagrams, pivotSeconds, randomNonce, address, seal }: Question,
  onAnswer: (answer: Answer) => void,
  onFailure: (code: string) => void,
): Promise<DatagramConnection> {
  const nonce = randomNonce();
  const request = seal(encodeRequest(nonce));
  let sent: ClockReading = { wallSeconds: Number.NaN, monotonicSeconds: Number.POSITIVE_INFINITY };
  const onPacket = (packet: Uint8Array, ageSeconds: number): void => {
    try {
      // First of all: time spent before it would count as time on the wire.
      const arrived = readingAtArrival(sent, driver.read(), ageSeconds);
      const expectation = { nonce, pivotSeconds };
      const sentMonotonicSeconds = sent.monotonicSeconds;
      const passage = { sentMonotonicSeconds, arrived, longestSeconds: deadlineSeconds };
      const header = request.open(packet);
      onAnswer(
        typeof header === "string" ? { kind: "bad", reason: header } : judge(header, expectation, passage),
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

function judge(packet: Uint8Array, expectation: Expectation, passage: Passage): Answer {
  const decoded = decodeReply(packet, expectation);
  if (decoded.kind !== "reply") return decoded;
  const sample = sampleOf(decoded, passage);
  return sample === null ? { kind: "bad", reason: "delay" } : { kind: "sample", sample };
}
