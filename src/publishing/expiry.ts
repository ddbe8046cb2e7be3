import type { State } from "./drafts/drafts.ts";
import { isDraftedRole, type RoleName, roleNames } from "./roles.ts";
import type { Workspace } from "./workspace.ts";

/** Published metadata that have expired, or will before long. */
export interface Expiring {
  readonly role: RoleName;
  readonly version: number;
  readonly expires: string;
  /** Below zero: expired so long ago. */
  readonly expires_in_seconds: number;
  /** What to type against it. */
  readonly command: string;
}

/** Where no margin is given, metadata are spoken of from the moment on when this share of their time is left. */
export const usualMarginShare = 0.25;

/**
 * What of `published` expires within the margin, in the order of roleNames. A margin is for what people sign; snapshot
 * and timestamp, which a renewal dates anew each time, always have the usual one.
 */
export function expiring(
  workspace: Workspace,
  { published, drafts }: Pick<State, "published" | "drafts">,
  marginSeconds?: number,
): Expiring[] {
  const { directory, periods } = workspace;
  return roleNames.flatMap((role) => {
    const file = published[role];
    if (file === null) return [];
    const { version, expires } = file.signed;
    const leftSeconds = Math.floor((Date.parse(expires) - workspace.now().getTime()) / 1_000);
    const usual = periods[role] * usualMarginShare;
    if (leftSeconds > (isDraftedRole(role) ? (marginSeconds ?? usual) : usual)) return [];
    const command = commandFor(role, directory, drafts[role] !== null);
    return [{ role, version, expires, expires_in_seconds: leftSeconds, command }];
  });
}

function commandFor(role: RoleName, directory: string, isDrafted: boolean): string {
  if (!isDraftedRole(role)) return `steward repo renew ${directory}`;
  const publish = `steward repo publish ${directory}`;
  return isDrafted ? publish : `steward repo renew ${directory} ${role} && ${publish}`;
}
