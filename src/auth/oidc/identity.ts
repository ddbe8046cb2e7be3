import { createHash } from "node:crypto";
import { displayName, username } from "../../contract/shapes.ts";
import type { Role } from "../../contract/types.ts";
import type { SignInProvider } from "../../host/provider-ports.ts";

/** What the provider says of a person, once everything about it was checked. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** From the most rights to the least: a person in several groups has the most that one of them gives. */
const roleOrder: readonly Role[] = ["admin", "operator", "readonly"];

/** The role that the person's groups give; null: none of their groups is named in the host file. */
export function roleOf(claims: Claims, { groupClaim, roles }: SignInProvider): Role | null {
  const groups = textsOf(claims[groupClaim]);
  return roleOrder.find((role) => roles[role].some((group) => groups.includes(group))) ?? null;
}

/** One group, or a list of them; a list that holds anything else is not read around. */
function textsOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return [claim];
  return Array.isArray(claim) && claim.every((one) => typeof one === "string") ? claim : [];
}

const usernamePattern = new RegExp(username.pattern);
const displayNamePattern = new RegExp(displayName.pattern);

/** Characters of a name before what makes it differ from another. */
const longestStem = 23;

/**
 * Names for a new account, the preferred first. The later ones end with a part of the digest of the subject: an account
 * is never taken over because its name is the same, and whose name was taken gets the same one on every device.
 */
export function usernamesFor(claims: Claims, { issuer, nameClaim }: SignInProvider): readonly string[] {
  const digest = createHash("sha256").update(`${issuer}\n${claims.sub}`).digest("hex");
  const stem = stemOf(claims[nameClaim]);
  return [stem, `${stem}-${digest.slice(0, 4)}`, `${stem}-${digest.slice(0, 8)}`].filter((name) =>
    usernamePattern.test(name),
  );
}

/** As which the log and the events name those who are no user: a name of the provider's must not pass for one of them. */
const reserved: readonly string[] = ["agent", "anonymous", "local-root", "others", "root"];

/** What is left of a provider's name in the alphabet of ours, without the domain of an address. */
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
  return stem.length >= 3 && !reserved.includes(stem) ? stem : "person";
}

/** The claim `name`, where it can be shown. */
export function displayNameOf({ name }: Claims): string {
  const text = typeof name === "string" ? name.trim() : "";
  const isShown = [...text].length <= displayName.maxLength && displayNamePattern.test(text);
  return isShown ? text : "";
}
