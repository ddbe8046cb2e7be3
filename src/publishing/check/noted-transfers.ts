import { codingOf } from "../../host/answer-body.ts";
import type { Transfer, Transfers } from "../../host/ports.ts";
import { type Fields, readHttpDate } from "../../host/retry-after.ts";
import { formatSpan } from "../../terminal/time-figures.ts";
import { caps } from "../../tuf/caps.ts";
import type { Findings } from "./findings.ts";

/** Transfers that follow so many redirects; null: a redirect is an answer. */
export type OpenTransfers = (redirects: number | null) => Transfers;

/** There is no such version. */
export const neverThere = "0.snapshot.json";

/** The transfers of a device. The heads of the answers show what it puts up with. */
export function notedTransfers(open: OpenTransfers, findings: Findings): Transfers {
  const [direct, following] = [open(null), open(caps.redirects)];
  return {
    open: async (address, request) => {
      const file = /(metadata|targets)\/[^?#]*$/.exec(address)?.[0] ?? address;
      let answer = await direct.open(address, request);
      const { location } = answer.headers;
      if (location !== undefined && answer.status >= 300 && answer.status < 400) {
        answer.close();
        const message = `It redirects to ${placeOf(location, address)}: one more request of each device, each time.`;
        findings.note(file, "redirect", message, "Give devices the address that it redirects to.");
        answer = await following.open(address, request);
      }
      if (answer.status !== 200) return answer;
      if (!request.acceptsGzip) noteCoding(file, answer, findings);
      if (file.endsWith("timestamp.json")) noteCaching(file, answer.headers, findings);
      if (file.endsWith(neverThere))
        findings.note(file, "page_for_missing", "It is not there, and the answer is 200.", missingRemedy);
      return answer;
    },
  };
}

const missingRemedy = "Answer missing files with 404, below metadata/ and targets/ at least.";

/** The origin that a redirect leads to, if it is another one. */
function placeOf(location: string, from: string): string {
  const { origin } = URL.canParse(location, from) ? new URL(location, from) : { origin: location };
  return origin === new URL(from).origin ? "another path" : origin;
}

function noteCoding(file: string, answer: Transfer, findings: Findings): void {
  if (codingOf(answer) === "identity") return;
  const message = `It has the Content-Encoding ${answer.headers["content-encoding"]}, which was not asked for.`;
  findings.note(file, "coding", message, "Send it as it is, with no coding that is derived from the name.");
}

/** Seconds: a sixth of the time between two checks of a device. */
const longestCaching = 3_600;

function noteCaching(file: string, headers: Fields, findings: Findings): void {
  const note = (message: string) =>
    findings.note(file, "caching", message, "Send it with Cache-Control: no-cache, and purge caches.");
  const kept = lifetimeSeconds(headers);
  const age = Number(/^\d+$/.exec(headers.age ?? "")?.[0] ?? 0);
  if (kept === null) note("Nothing says how long caches may keep it: some do for a day.");
  else if (kept > longestCaching)
    note(`Caches may keep it for ${formatSpan(kept)}, and devices see new releases so much later.`);
  if (age > longestCaching) note(`It comes from a cache, which has had it for ${formatSpan(age)}.`);
}

/** Seconds for which a shared cache may keep an answer (RFC 9111 §4.2.1); null: as long as it likes (§4.2.2). */
function lifetimeSeconds(headers: Fields): number | null {
  const control = headers["cache-control"] ?? "";
  if (/\b(no-cache|no-store|private)\b/i.test(control)) return 0;
  const [, seconds] = /\bs-maxage="?(\d+)/i.exec(control) ?? /\bmax-age="?(\d+)/i.exec(control) ?? [];
  if (seconds !== undefined) return Number(seconds);
  if (headers.expires === undefined) return null;
  // §5.3: an Expires that is no date is in the past.
  return Math.max(0, ((readHttpDate(headers.expires) ?? 0) - (readHttpDate(headers.date) ?? 0)) / 1_000);
}
