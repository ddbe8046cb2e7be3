import type { ApiToken } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";

/** The rights of a token: its scopes, the pages that it counts at, its users, and the addresses that may use it. */
export function tokenRights({ scopes, is_fleet, sources, pages = [] }: ApiToken): string {
  const parts = [...scopes.map((one) => t.person.scopes[one] ?? one), ...pages];
  if (is_fleet) parts.push(t.person.tokenOfFleet);
  if (sources.length > 0) parts.push(`${t.person.onlyFrom} ${sources.join(", ")}`);
  return parts.join(" · ");
}

/** Parts of a User-Agent and the names that people know; the first part that is found counts. */
const browsers = "Edg=Edge OPR=Opera FxiOS=Firefox Firefox CriOS=Chrome Chrom=Chrome Safari";
const systems = "Windows Android iPhone=iOS iPad=iOS Macintosh=macOS CrOS=ChromeOS Linux";

/** A User-Agent in the few words that people tell their browsers apart by; of a program its first word, if it has one. */
export function agentInWords(userAgent: string): string {
  const words = [browsers, systems].flatMap((known) => {
    const found = known.split(" ").find((one) => userAgent.includes(one.replace(/=.*/, "")));
    return found?.replace(/.*=/, "") ?? [];
  });
  return words.join(", ") || userAgent.split(/[\s(]/)[0]?.slice(0, 32) || t.person.namelessProgram;
}
