import { BlockList, isIP } from "node:net";
import { fleetScopes, type Scope, scopes as scopeRoles } from "../../contract/scopes.ts";
import { canonicalAddress, firstGroups } from "../throttle/client-key.ts";

/** Limits and additions of a token. Only root gives it `sources` and `is_fleet`. */
export interface TokenRights {
  readonly scopes: readonly Scope[];
  /** Addresses and CIDR ranges from which it is accepted; empty: any. */
  readonly sources: readonly string[];
  /** Root made it for a fleet: it also writes settings of administrators, and with `users:write` users. */
  readonly is_fleet: boolean;
  /** Pages of the product, to which its maker has bound it; absent: it counts at all. */
  readonly pages?: readonly string[] | undefined;
}

/** The end of a token that never ends, in a form that every release reads. */
export const noEnd = "9999-12-31T23:59:59.999Z";

/** `address` is canonical: an IPv4 address also if it came mapped into IPv6. */
export function isAllowedFrom({ sources }: Pick<TokenRights, "sources">, address: string): boolean {
  if (sources.length === 0) return true;
  const family = isIP(address);
  if (family === 0) return false;
  const lists = listsOf(sources);
  return family === 4 ? lists.ipv4.check(address, "ipv4") : lists.ipv6.check(address, "ipv6");
}

const known = new WeakMap<readonly string[], { ipv4: BlockList; ipv6: BlockList }>();

/** One list for each family: in a single list ::/80 would contain every IPv4 address, as mapped into IPv6. */
function listsOf(sources: readonly string[]): { ipv4: BlockList; ipv6: BlockList } {
  const present = known.get(sources);
  if (present !== undefined) return present;
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const source of sources) {
    const { address, prefix, family } = partsOf(source);
    lists[family].addSubnet(address, prefix, family);
  }
  known.set(sources, lists);
  return lists;
}

function partsOf(source: string) {
  const [address = "", length] = source.split("/");
  const family = address.includes(":") ? ("ipv6" as const) : ("ipv4" as const);
  return { address, family, prefix: Number(length ?? (family === "ipv4" ? 32 : 128)) };
}

/** The reason why a text is not a source range; null: it is one. */
export function sourceFault(source: string): string | null {
  const { address, prefix, family } = partsOf(source);
  if (isIP(address) === 0 || !/^[^/]+(\/[0-9]{1,3})?$/.test(source))
    return "is neither an address nor a CIDR range";
  if (address.includes("%")) return "must have no zone";
  if (/^::ffff:/i.test(address)) return "must be written as an IPv4 range";
  if (prefix > (family === "ipv4" ? 32 : 128)) return "has too long a prefix";
  return prefix === 0 ? "would be any address, which limits nothing" : hostBitsFault(source);
}

/** The reason why an address or a range in a right form names more than it shows; null: it does not. */
export function hostBitsFault(range: string): string | null {
  const { address, prefix, family } = partsOf(range);
  const isIpv4 = family === "ipv4";
  const [bits, radix] = isIpv4 ? ([8, 10] as const) : ([16, 16] as const);
  // The parser of URLs writes a dotted end in hexadecimal.
  const texts = isIpv4
    ? address.split(".")
    : firstGroups(new URL(`http://[${address}]`).hostname.slice(1, -1), 8).split(":");
  const groups = texts.map((text) => Number.parseInt(text, radix));
  const kept = groups.map((group, index) => {
    const behind = Math.min(Math.max((index + 1) * bits - prefix, 0), bits);
    return (group >> behind) << behind;
  });
  if (kept.every((group, index) => group === groups[index])) return null;
  const first = canonicalAddress(kept.map((group) => group.toString(radix)).join(isIpv4 ? "." : ":"));
  return `has bits behind its prefix: write ${first}/${prefix} for the range, or ${address} for the address`;
}

export interface RightsFault {
  readonly member: "scopes" | "sources" | "is_fleet" | "no_expiry" | "pages";
  readonly detail: string;
}

/** `pages`: those of this device; absent: the token may be for another one. */
export function rightsFaults(
  { scopes, sources, is_fleet, pages: bound = [] }: TokenRights,
  owner: { readonly username: string; readonly role: string } | undefined,
  hasNoEnd: boolean,
  pages = bound,
): RightsFault[] {
  const faults: RightsFault[] = sources.flatMap((source) => {
    const detail = sourceFault(source);
    return detail === null ? [] : [{ member: "sources", detail: `has ${source}, which ${detail}` } as const];
  });
  const ofFleets = scopes.filter((scope) => (fleetScopes as readonly string[]).includes(scope));
  if (!is_fleet && ofFleets.length > 0)
    faults.push({ member: "scopes", detail: `has ${ofFleets.join(", ")}, which only fleet tokens have` });
  if (is_fleet && sources.length === 0)
    faults.push({ member: "sources", detail: "must name the ranges that a fleet token counts from" });
  if (is_fleet && owner !== undefined && owner.role !== "admin")
    faults.push({
      member: "is_fleet",
      detail: `needs an administrator as its owner, and ${owner.username} is none`,
    });
  if (hasNoEnd && scopes.some((scope) => !scope.endsWith(":read")))
    faults.push({ member: "no_expiry", detail: "is for tokens that only read" });
  if (bound.length > 0 && !scopes.includes("product:use"))
    faults.push({ member: "pages", detail: "is for tokens with the scope product:use" });
  const stranger = bound.find((page) => !pages.includes(page));
  if (stranger !== undefined)
    faults.push({ member: "pages", detail: `has ${stranger}, which the host file does not name` });
  return faults;
}

export function foreignScopes(scopes: readonly Scope[], role: string): Scope[] {
  return scopes.filter((scope) => !(scopeRoles[scope] as readonly string[]).includes(role));
}
