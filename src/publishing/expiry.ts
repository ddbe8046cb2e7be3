import { isDraftedRole, type RoleName, roleNames } from "./roles.ts";
import type { State } from "./state.ts";
import type { Workspace } from "./workspace.ts";

/** Published metadata that have expired, or expire soon. */
export type Expiring = ReturnType<typeof expiring>[number];

/** Without a margin, metadata are reported when this share of their period is left. */
const usualMarginShare = 0.25;

/**
 * The published metadata that expire within the margin, in the order of roleNames. A margin applies to roles that people
 * sign; snapshot and timestamp are renewed each time, and always have the usual share. `command` renews it;
 * `expires_in_seconds` is negative for one that has expired.
 */
export function expiring(
  workspace: Pick<Workspace, "directory" | "periods" | "now">,
  { published, drafts }: Pick<State, "published" | "drafts">,
  marginSeconds?: number,
) {
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
  if (!isDraftedRole(role)) return `steward-publisher renew ${directory}`;
  const publish = `steward-publisher publish ${directory}`;
  return isDrafted ? publish : `steward-publisher renew ${directory} ${role} && ${publish}`;
}
