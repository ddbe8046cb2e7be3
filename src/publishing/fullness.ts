import { caps } from "../tuf/caps.ts";
import type { Metadata, RoleType } from "../tuf/metadata.ts";
import { isReleaseRole, type RoleFiles, type RoleName, roleNames, typeOfRole } from "./roles.ts";

/** The share of a limit of devices that a metadata file takes up. */
export interface Filling {
  readonly role: RoleName;
  readonly of: "bytes" | "values" | "signatures";
  readonly used: number;
  readonly most: number;
  /** The command that makes room. */
  readonly command: string;
}

/** The share of a limit from which on commands warn: there is as much time left as it took to get there. */
const warnedShare = 0.5;

/** Bytes of a file that devices read, by its type. */
export const mostBytes: Readonly<Record<RoleType, number>> = {
  root: caps.rootBytes,
  timestamp: caps.timestampBytes,
  snapshot: caps.snapshotBytes,
  targets: caps.targetsBytes,
};

/** The roles that take up half of a limit or more, each with the limit that it reaches first, in the order of roleNames. */
export function fillingsOf(held: RoleFiles, directory: string): readonly Filling[] {
  return roleNames.flatMap((role) => {
    const file = held[role];
    const [fullest] = file === null ? [] : usesOf(role, file, directory).toSorted(byShare);
    return fullest !== undefined && fullest.used >= fullest.most * warnedShare ? [fullest] : [];
  });
}

function byShare(one: Filling, other: Filling): number {
  return other.used / other.most - one.used / one.most;
}

/** The limits that a file goes beyond, so that no device would read it. */
export function overfilled(role: RoleName, file: Sized, directory: string): Filling | undefined {
  return usesOf(role, file, directory).find(({ used, most }) => used > most);
}

type Sized = Pick<Metadata<RoleType>, "signed" | "signatures" | "bytes">;

function usesOf(role: RoleName, { signed, signatures, bytes }: Sized, directory: string): readonly Filling[] {
  const command = isReleaseRole(role)
    ? `steward-publisher prune ${directory} --kind ${role}`
    : `steward-publisher keys ${directory}`;
  const use = (of: Filling["of"], used: number, most: number): Filling => ({ role, of, used, most, command });
  return [
    use("bytes", bytes.length, mostBytes[typeOfRole[role]]),
    use("values", countValues({ signatures, signed }), caps.jsonValues),
    use("signatures", signatures.length, caps.signatures),
  ];
}

/** Counts values as the reader of devices does: each object, list, text, number and flag, and no names of members. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + countValues(one), 1);
}

/** `The metadata of rules take up 62 % of the bytes that devices read (3100000 of 5000000). To make room: …` */
export function fillingSentence({ role, of, used, most, command }: Filling): string {
  const percent = Math.floor((used / most) * 100);
  const each = isReleaseRole(role) ? ", and each device fetches them after each publish" : "";
  return `The metadata of ${role} take up ${percent} % of the ${of} that devices read (${used} of ${most})${each}. At 100 % nothing can be added. To make room: ${command}`;
}
