import { createHash } from "node:crypto";
import { displayName, isUsername } from "../../contract/shapes.ts";
import type { Role } from "../../contract/types.ts";
import type { SignInProvider } from "../../host/provider-ports.ts";

/** The provider's statements about a person, after all checks. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** From the most rights to the least: a person in several groups gets the role with the most rights. */
const roleOrder: readonly Role[] = ["admin", "operator", "readonly"];

/** The role of the person's groups; null: the host file names none of their groups. */
export function roleOf(claims: Claims, { groupClaim, roles }: SignInProvider): Role | null {
  const groups = textsOf(claims[groupClaim]);
  return roleOrder.find((role) => roles[role].some((group) => groups.includes(group))) ?? null;
}

/** One group, or a list of them. A list that holds anything else gives no group at all. */
function textsOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return [claim];
  return Array.isArray(claim) && claim.every((one) => typeof one === "string") ? claim : [];
}

const displayNamePattern = new RegExp(displayName.pattern);

/** Characters of a name before the suffix that tells it from another. */
const longestStem = 23;

/**
 * Names for a new account, the preferred one first. The later ones end with a part of the subject's digest: a person
 * never takes over an account because its name is the same, and gets the same second name on every device.
 */
export function usernamesFor(claims: Claims, { issuer, nameClaim }: SignInProvider): readonly string[] {
  const digest = createHash("sha256").update(`${issuer}\n${claims.sub}`).digest("hex");
  const stem = stemOf(claims[nameClaim]);
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

/** The claim `name`, if it can be shown. */
export function displayNameOf({ name }: Claims): string {
  const text = typeof name === "string" ? name.trim() : "";
  const isShown = [...text].length <= displayName.maxLength && displayNamePattern.test(text);
  return isShown ? text : "";
}
