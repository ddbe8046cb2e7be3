import type { Fault } from "../contract/errors.ts";
import type { Settings } from "../contract/types.ts";
import { type SettingsGuard, settingFault } from "../system/settings/faults.ts";
import type { Updates } from "./updater.ts";

type Ota = Settings["update"]["ota"];

/**
 * The rules that depend on the host file and on the root of trust, and not only on the settings. `mayUpdateFrom`: the host
 * file lets updates come from this server, as far as its address shows. `allowedChannels`: those of the host file; null:
 * any.
 */
export function createSettingsGuard(
  updates: Pick<Updates, "isTrustEstablished" | "unusableRoot">,
  mayUpdateFrom: (server: string) => boolean,
  allowedChannels: readonly string[] | null,
): SettingsGuard {
  return {
    faultsOf: ({ update }) => {
      const { server = "", channel, auto_update_binary } = update?.ota ?? {};
      const isUntrusted = auto_update_binary === true && !updates.isTrustEstablished();
      return [
        ...serverFaults(server, mayUpdateFrom),
        ...channelFaults(channel, allowedChannels),
        ...(isUntrusted ? [untrusted] : []),
      ];
    },
    refusalOf: async ({ update }) => (switchesOn(update?.ota ?? {}) ? await updates.unusableRoot() : null),
  };
}

/** An unusable root of trust must not come to light only when an update is due. */
function switchesOn({ enabled, auto_update_rules, auto_update_binary, server }: Partial<Ota>): boolean {
  return enabled === true || auto_update_rules === true || auto_update_binary === true || Boolean(server);
}

/** Checked only where it is written: a server that is there already does not stop other changes. */
function serverFaults(server: string, mayUpdateFrom: (server: string) => boolean): Fault[] {
  const refused = (code: string, detail: string): Fault[] => [
    settingFault("/update/ota/server", "validation_failed", { code, detail }),
  ];
  // Files are asked for below it, so that of a file itself no check could succeed.
  if (/\.(json|tar|t?gz)\/*$/i.test(server)) {
    const folder = server.replace(/(\/metadata)?\/[^/]*\/*$/, "");
    const isArchive = !/\.json\/*$/i.test(server);
    const advice = isArchive ? "; `steward update check --repo FILE` takes an archive" : `: ${folder}`;
    return refused("pattern", `must be the address of the folder above metadata/, not of a file${advice}`);
  }
  // A writer of settings could otherwise have the agent call a server that listens on the device for its own programs.
  if (mayUpdateFrom(server)) return [];
  const detail =
    "must not be a loopback or link-local address; for a trial, root sets update.allow_local_servers in the host file";
  return refused("not_allowed", detail);
}

function channelFaults(channel: string | undefined, allowedChannels: readonly string[] | null): Fault[] {
  if (channel === undefined || allowedChannels === null || allowedChannels.includes(channel)) return [];
  const detail = `must be one of those that the host file allows: ${allowedChannels.join(", ")}`;
  return [settingFault("/update/ota/channel", "pinned_by_host", { code: "not_allowed", detail })];
}

const untrusted = settingFault("/update/ota/auto_update_binary", "update_trust_not_established", {
  code: "not_allowed",
  detail:
    "needs a root of trust that is installed on the device, confirmed by an administrator, and proven by one complete refresh from the server",
});
