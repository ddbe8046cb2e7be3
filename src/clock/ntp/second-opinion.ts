import { isIP } from "node:net";
import { systemErrorCode } from "../../contract/errors.ts";
import type { ClockDriver, DatagramAddress } from "../../host/ports.ts";
import { inEra } from "./ntp-packet.ts";

/** The host's clock by node-ntp-client. Positive offset: this host is behind. */
export type SecondOpinion =
  | {
      readonly kind: "opinion";
      /** Wrong by up to half of the round trip and 1 ms: the client reads one time of the reply, in milliseconds. */
      readonly offsetSeconds: number;
      readonly roundTripSeconds: number;
    }
  /**
   * `not_ipv4`, `bad_port`, `timeout`, `no_time` (a short packet, a kiss-o'-death), `before_build`, the code of the
   * system's error, or `failed`.
   */
  | { readonly kind: "none"; readonly reason: string };

/** Asks the server at a literal address. Calls run one after the other, each for at most `replySeconds`. Never rejects. */
export type AskSecondOpinion = (address: DatagramAddress) => Promise<SecondOpinion>;

/** Seconds: twice what a round waits for an answer. Its silence changes nothing. */
const usualReplySeconds = 2;

/** Seconds that two opinions may differ by, besides the round trip: the second one is coarse, and the clock may be slewing. */
const coarsenessSeconds = 2;

/** The start of NTP's era 0: the client gives this date for a transmit time of zero. */
const eraZeroMilliseconds = Date.UTC(1900, 0, 1);

/**
 * node-ntp-client as a second program's coarse opinion. It believes the first packet that arrives, from any address and
 * of any kind, so its opinion can only raise doubt and must never set a clock (docs/design/trusted-time.md, rule 11). It
 * is loaded at the first question. `pivotSeconds`: the build date, in seconds since 1970; a right clock shows a later time,
 * within 68 years of it.
 */
export function askSecondOpinion(
  driver: Pick<ClockDriver, "read">,
  pivotSeconds: number,
  replySeconds = usualReplySeconds,
): AskSecondOpinion {
  // Its timeout is one variable for all calls, and its errors do not name the call that they belong to.
  let last: Promise<unknown> = Promise.resolve();
  return ({ address, port }) => {
    if (isIP(address) !== 4) return Promise.resolve(none("not_ipv4"));
    // Port 0 would silently become 123, and a bad one throws.
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return Promise.resolve(none("bad_port"));
    const answer = last
      .then(() => ask(driver, pivotSeconds, replySeconds, { address, port }))
      .catch((error) => none(reasonOf(error)));
    last = answer;
    return answer;
  };
}

/** True where the two opinions differ by more than their coarseness explains. */
export function disagrees(
  offsetSeconds: number,
  opinion: Extract<SecondOpinion, { kind: "opinion" }>,
): boolean {
  return Math.abs(offsetSeconds - opinion.offsetSeconds) > coarsenessSeconds + opinion.roundTripSeconds;
}

async function ask(
  driver: Pick<ClockDriver, "read">,
  pivotSeconds: number,
  replySeconds: number,
  { address, port }: DatagramAddress,
): Promise<SecondOpinion> {
  const { default: client } = await import("node-ntp-client");
  client.ntpReplyTimeout = replySeconds * 1_000;
  const sentSeconds = driver.read().monotonicSeconds;
  const date = await new Promise<Date | null>((resolve, reject) => {
    client.getNetworkTime(address, port, (error, found) => (error ? reject(error) : resolve(found)));
  });
  const { wallSeconds, monotonicSeconds } = driver.read();
  const milliseconds = date?.getTime() ?? Number.NaN;
  // Invalid Date: the packet was short. Within the first second of 1900: a kiss-o'-death or nothing at all.
  if (!(milliseconds >= eraZeroMilliseconds + 1_000)) return none("no_time");
  const seconds = inEra(milliseconds / 1_000, pivotSeconds);
  if (seconds < pivotSeconds) return none("before_build");
  const roundTripSeconds = Math.max(0, monotonicSeconds - sentSeconds);
  return { kind: "opinion", offsetSeconds: seconds - wallSeconds + roundTripSeconds / 2, roundTripSeconds };
}

/** Its errors are the system's, or sentences. */
function reasonOf(error: unknown): string {
  if (typeof error === "string") return error.startsWith("Timeout") ? "timeout" : "failed";
  return systemErrorCode(error) ?? "failed";
}

function none(reason: string): SecondOpinion {
  return { kind: "none", reason };
}
