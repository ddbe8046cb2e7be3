import type { ApiToken } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";

/** The rights of a token: its scopes, its users, and the addresses that may use it. */
export function tokenRights({ scopes, is_fleet, sources }: ApiToken): string {
  const parts = [scopes.join(", ")];
  if (is_fleet) parts.push(t.person.tokenOfFleet);
  if (sources.length > 0) parts.push(`${t.person.onlyFrom} ${sources.join(", ")}`);
  return parts.join(" · ");
}
