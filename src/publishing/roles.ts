import type { Metadata, RoleType, Root, Targets } from "../tuf/metadata.ts";
import { type Signers, signersOf } from "../tuf/signatures.ts";

/** Every role of a repository, in the order in which a client reads them. */
export const roleNames = ["root", "timestamp", "snapshot", "targets", "rules", "binary"] as const;
export type RoleName = (typeof roleNames)[number];

/** The roles that sign payloads, one for each kind: a stolen key of one cannot sign the other. */
export const releaseRoles = ["rules", "binary"] as const;
export type ReleaseRole = (typeof releaseRoles)[number];

/** The roles whose metadata people draft and sign; the other two follow from them at each publish. */
export const draftedRoles = ["root", "targets", "rules", "binary"] as const;
export type DraftedRole = (typeof draftedRoles)[number];

/** The types of the roles' metadata. */
export const typeOfRole = {
  root: "root",
  timestamp: "timestamp",
  snapshot: "snapshot",
  targets: "targets",
  rules: "targets",
  binary: "targets",
} as const satisfies Readonly<Record<RoleName, RoleType>>;
export type TypeOfRole = typeof typeOfRole;

/** One metadata file for each role; null: none. */
export type RoleFiles = { readonly [R in RoleName]: Metadata<TypeOfRole[R]> | null };

export function roleFilesBy(of: <R extends RoleName>(role: R) => RoleFiles[R]): RoleFiles {
  return Object.fromEntries(roleNames.map((role) => [role, of(role)])) as unknown as RoleFiles;
}

export function versionsIn(held: RoleFiles): { role: RoleName; version: number; expires: string }[] {
  return roleNames.flatMap((role) => {
    const signed = held[role]?.signed;
    return signed === undefined ? [] : [{ role, version: signed.version, expires: signed.expires }];
  });
}

/** For a new repository. */
export const noRoleFiles: RoleFiles = roleFilesBy(() => null);

const day = 86_400;

/** Seconds from signing to expiry by default: long for keys in a safe, short for online keys. */
export const usualPeriods: Readonly<Record<RoleName, number>> = {
  root: 365 * day,
  targets: 90 * day,
  rules: 90 * day,
  binary: 90 * day,
  snapshot: 30 * day,
  timestamp: 7 * day,
};

/** The role whose metadata hold the keys of this one. */
export function holderOf(role: RoleName): "root" | "targets" {
  return role === "rules" || role === "binary" ? "targets" : "root";
}

export function isRoleName(text: string): text is RoleName {
  return roleNames.some((name) => name === text);
}

/** True for a role under which payloads are signed. */
export function isReleaseRole(role: RoleName): role is ReleaseRole {
  return role === "rules" || role === "binary";
}

export function isDraftedRole(role: RoleName): role is DraftedRole {
  return draftedRoles.some((name) => name === role);
}

/** The delegation to a role; null: none. */
export function delegatedSigners({ delegations }: Targets, name: string): Signers | null {
  const role = delegations?.roles.find((one) => one.name === name);
  return role === undefined ? null : { ...role, keys: delegations?.keys ?? {} };
}

/** The keys that must sign a role's metadata, and how many of them. */
export interface Authority extends Signers {
  /** The file that names them, such as `root version 2`. */
  readonly by: string;
  /** False for the previous root: its signatures only help clients that have not seen the new one. */
  readonly isRequired: boolean;
}

/** For `next`, which follows `published`. */
export function authoritiesOf(role: RoleName, published: RoleFiles, next: RoleFiles): readonly Authority[] {
  if (isReleaseRole(role)) {
    const targets = next.targets?.signed;
    const signers = targets ? delegatedSigners(targets, role) : null;
    return targets && signers
      ? [{ ...signers, by: `targets version ${targets.version}`, isRequired: true }]
      : [];
  }
  const of = ({ signed }: Metadata<"root">, isRequired: boolean): Authority => ({
    ...signersOf(signed, role),
    by: `root version ${signed.version}`,
    isRequired,
  });
  const found = next.root ? [of(next.root, true)] : [];
  const before = published.root;
  const isSuccessor = before !== null && next.root?.signed.version !== before.signed.version;
  // TUF §6.1: a new root is signed by the keys of the old one too.
  return isSuccessor ? [of(before, role === "root"), ...found] : found;
}

/** The keys and the threshold of a role, from the metadata that hold them. */
export function roleIn(signed: Root | Targets, role: RoleName): Signers | null {
  if (signed._type === "targets") return delegatedSigners(signed, role);
  return isReleaseRole(role) ? null : signersOf(signed, role satisfies RoleType);
}
