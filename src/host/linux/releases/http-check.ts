import { messageOf, systemErrorCode } from "../../../contract/errors.ts";
import { objectIn } from "../../../contract/text/json-of.ts";
import { readAnswer } from "../../answer-body.ts";
import type { Transfer } from "../../ports.ts";
import { printableLine } from "../../printable-text.ts";
import type { HealthAnswer, HttpCheck } from "../../release-ports.ts";
import { TransferFailure } from "../../transfer-failure.ts";
import { openTransfers } from "../transfers/open-transfers.ts";

/** Bytes of a body that holds a version. */
const mostBytes = 65_536;

const transfers = openTransfers({ allowLocalServers: true, redirects: null });

/**
 * Checks an address of this device: it must answer with the expected status and, if the check names a member, with
 * `version` in it. Redirects are not followed. Never throws.
 */
export async function askHttp(
  check: HttpCheck,
  version: string,
  timeoutMilliseconds: number,
): Promise<HealthAnswer> {
  const { url } = check;
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  // Longer than the signal, which ends it: a product may need all of that time.
  const seconds = timeoutMilliseconds / 1_000;
  const limits = { headSeconds: 2 * seconds, minimumBytesPerSecond: 0, rateWindowSeconds: 2 * seconds };
  let answer: Transfer | undefined;
  try {
    answer = await transfers.open(url, { headers: { accept: "*/*" }, limits, signal });
    const { isHealthy, words } = await judged(answer, check, version);
    return { isHealthy, words: `${url} ${words}` };
  } catch (error) {
    return { isHealthy: false, words: `${url} ${failureOf(error, signal.aborted ? seconds : null, answer)}` };
  } finally {
    answer?.close();
  }
}

async function judged(answer: Transfer, check: HttpCheck, version: string): Promise<HealthAnswer> {
  const { status, headers } = answer;
  if (status !== check.status) {
    const isProblem = /^application\/problem\+json\b/.test(headers["content-type"] ?? "");
    const detail = isProblem ? await memberOf(answer, "detail") : undefined;
    const reason = typeof detail === "string" ? `: ${printableLine(detail, mostReason)}` : "";
    return { isHealthy: false, words: `answered ${status} instead of ${check.status}${reason}` };
  }
  if (check.versionMember === null) return { isHealthy: true, words: `answered ${status}` };
  const found = await memberOf(answer, check.versionMember);
  if (found === version) return { isHealthy: true, words: `answered ${status}, version ${version}` };
  const words =
    found === undefined
      ? `answered without the member "${check.versionMember}"`
      : `says the version is ${printableLine(String(found), 40)}, and ${version} is expected`;
  return { isHealthy: false, words };
}

/** Characters kept of the reason that a problem document gives (RFC 9457). */
const mostReason = 200;

function failureOf(error: unknown, tooLateSeconds: number | null, answer: Transfer | undefined): string {
  if (tooLateSeconds !== null) return `did not answer within ${tooLateSeconds} s`;
  if (error instanceof TransferFailure && error.kind === "too_large") return "answered more than 64 KiB";
  if (answer !== undefined) return "broke off its answer";
  const cause = error instanceof TransferFailure ? (error.cause ?? error) : error;
  return `did not answer (${systemErrorCode(cause) ?? messageOf(cause)})`;
}

/** A member of a body in JSON; undefined: it has none. */
async function memberOf(answer: Transfer, member: string): Promise<unknown> {
  const text = (await readAnswer("the answer", answer, mostBytes)).toString("utf8");
  const members = objectIn(text) ?? {};
  return Object.hasOwn(members, member) ? members[member] : undefined;
}
