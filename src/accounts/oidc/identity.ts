import { createHash } from "node:crypto";
import { isUsername, roleNames } from "../../contract/shapes.ts";
import { displayName } from "../../contract/text/visible-text.ts";
import type { Role } from "../../contract/types.ts";
import type { SignInProvider } from "../../host/provider-ports.ts";

/** The provider's statements about a person, after all checks. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The role with the most rights of the person's groups; null: the host file names none of their groups. */
export function roleOf(claims: Claims, { groupClaim, roles }: SignInProvider): Role | null {
  const groups = textsOf(claimAt(claims, groupClaim)) ?? [];
  return roleNames.find((role) => roles[role].some((group) => groups.includes(group))) ?? null;
}

/** One group, or a list of them; null: anything else. */
function textsOf(claim: unknown): readonly string[] | null {
  if (typeof claim === "string") return [claim];
  return Array.isArray(claim) && claim.every((one) => typeof one === "string") ? claim : null;
}

/** A claim by its name, else by the path to it: `realm_access.roles` is member `roles` of claim `realm_access`. */
export function claimAt(claims: object, name: string): unknown {
  const own = (at: unknown, part: string): unknown => new Map(Object.entries(Object(at))).get(part);
  return own(claims, name) ?? name.split(".").reduce(own, claims);
}

/** True: the provider says that the groups were too many for the token (OpenID Connect Core 1.0 §5.6.2; Entra). */
export function hasTooManyGroups(claims: object, { groupClaim }: SignInProvider): boolean {
  return claimAt(claims, "hasgroups") === true || claimAt(claims, `_claim_names.${groupClaim}`) !== undefined;
}

/** The part of a sentence that says why a person's groups give no role. */
export function lackOf(claims: Claims, config: SignInProvider): string {
  const { groupClaim } = config;
  const claim = claimAt(claims, groupClaim);
  if (claim === undefined && hasTooManyGroups(claims, config))
    return "it leaves out your groups, because they are too many. It can send the groups of this device only, or roles of an application";
  if (claim === undefined) return `it sends no ${groupClaim}, the claim of your groups (oidc.group_claim)`;
  if (textsOf(claim) === null) return `its ${groupClaim} is not a list of groups (oidc.group_claim)`;
  return "none of your groups has a role on this device (oidc.roles)";
}

const displayNamePattern = new RegExp(displayName.pattern);

/** Characters of a name before the suffix that tells it from another. */
const longestStem = 23;

/** Names for a new account, preferred first; later ones have a digest of the subject, so that no account is taken over. */
export function usernamesFor(claims: Claims, { issuer, nameClaim }: SignInProvider): readonly string[] {
  const digest = createHash("sha256").update(`${issuer}\n${claims.sub}`).digest("hex");
  const stem = stemOf(claimAt(claims, nameClaim));
  return [stem, `${stem}-${digest.slice(0, 4)}`, `${stem}-${digest.slice(0, 8)}`];
}

/** A provider's name in the alphabet of ours, without the domain of an address. */
function stemOf(claim: unknown): string {
  const text = typeof claim === "string" ? claim.slice(0, 256) : "";
  const stem = (text.split("@")[0] ?? "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, "-")
    .replace(/-{2,}/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, longestStem)
    .replace(/[^a-z0-9]+$/, "");
  return isUsername(stem) ? stem : "person";
}

export function displayNameOf({ name }: Claims): string {
  const text = typeof name === "string" ? name.trim() : "";
  const isShort = [...text].length <= displayName.maxLength;
  const isShown = isShort && displayNamePattern.test(text) && text.isWellFormed();
  return isShown ? text : "";
}
