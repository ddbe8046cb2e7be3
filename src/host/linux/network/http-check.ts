import { type IncomingMessage, request } from "node:http";
import { systemErrorCode } from "../../../contract/errors.ts";
import { printableLine } from "../../printable-text.ts";
import type { HealthAnswer, HttpCheck } from "../../release-ports.ts";

/** Bytes of a body that holds a version. */
const mostBytes = 65_536;

/**
 * Checks an address of this device: it must answer with the expected status and, if the check names a member, with
 * `version` in it. Redirects are not followed. Never throws.
 */
export function askHttp(
  check: HttpCheck,
  version: string,
  timeoutMilliseconds: number,
): Promise<HealthAnswer> {
  return new Promise((resolve) => {
    const call = request(check.url, { agent: false, headers: { accept: "*/*", connection: "close" } });
    const settle = (isHealthy: boolean, words: string): void => {
      clearTimeout(timer);
      resolve({ isHealthy, words: `${check.url} ${words}` });
      call.destroy();
    };
    const timer = setTimeout(() => {
      settle(false, `did not answer within ${timeoutMilliseconds / 1_000} s`);
    }, timeoutMilliseconds);
    call.on("error", (error) => settle(false, `did not answer (${systemErrorCode(error) ?? error.message})`));
    const onAborted = () => settle(false, "ended the connection without an answer");
    call.once("close", onAborted);
    call.once("response", (answer) => {
      const { statusCode } = answer;
      // The connection may end before its data were read.
      call.off("close", onAborted);
      answer.once("close", () => settle(false, "broke off its answer"));
      if (statusCode !== check.status) {
        readReason(answer, (reason) =>
          settle(false, `answered ${statusCode} instead of ${check.status}${reason}`),
        );
      } else if (check.versionMember === null) {
        settle(true, `answered ${statusCode}`);
      } else {
        const { versionMember: member } = check;
        readBody(answer, (text) => {
          const found = text === null ? "answered more than 64 KiB" : versionFault(text, member, version);
          settle(found === null, found === null ? `answered ${statusCode}, version ${version}` : found);
        });
      }
    });
    call.end();
  });
}

/** Characters kept of a reason. */
const mostReason = 200;

/** The reason that a problem document gives (RFC 9457); empty: none. */
function readReason(answer: IncomingMessage, done: (reason: string) => void): void {
  const isProblem = /^application\/problem\+json\b/.test(answer.headers["content-type"] ?? "");
  if (!isProblem) done("");
  else
    readBody(answer, (text) => {
      const detail = text === null ? undefined : memberOf(text, "detail");
      done(typeof detail === "string" ? `: ${printableLine(detail, mostReason)}` : "");
    });
}

/** null: it is too long. */
function readBody(answer: IncomingMessage, done: (text: string | null) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  answer.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > mostBytes) return done(null);
    chunks.push(chunk);
  });
  answer.once("end", () => done(Buffer.concat(chunks).toString("utf8")));
  // A truncated answer is reported when the connection closes.
  answer.on("error", () => undefined);
}

/** The fault of the version; null: none. */
function versionFault(text: string, member: string, version: string): string | null {
  const found = memberOf(text, member);
  if (found === undefined) return `answered without the member "${member}"`;
  if (found === version) return null;
  return `says the version is ${printableLine(String(found), 40)}, and ${version} is expected`;
}

function memberOf(text: string, member: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || !Object.hasOwn(parsed, member)) return undefined;
    const members: Record<string, unknown> = { ...parsed };
    return members[member];
  } catch {
    return undefined;
  }
}
