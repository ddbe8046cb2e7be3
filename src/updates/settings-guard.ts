import type { Fault } from "../contract/errors.ts";
import type { Settings } from "../contract/types.ts";
import { type SettingsGuard, settingFault } from "../system/settings/faults.ts";
import type { Updates } from "./updater.ts";

/** The facts by which settings of updates are judged, besides the rules of the settings. */
interface SettingsGuardOptions {
  readonly updates: Pick<Updates, "isTrustEstablished" | "unusableRoot">;
  /** True if the host file lets updates come from this server, as far as its address shows. */
  readonly mayUpdateFrom: (server: string) => boolean;
  /** Channels that the host file allows; null: any. */
  readonly allowedChannels: readonly string[] | null;
}

type OtaChange = Partial<Settings["update"]["ota"]>;

/** The rules that depend on the host file and on the root of trust, and not only on the settings. */
export function createSettingsGuard(options: SettingsGuardOptions): SettingsGuard {
  return {
    faultsOf: ({ update }) => {
      const ota = update?.ota ?? {};
      return [...serverFaults(options, ota), ...channelFaults(options, ota), ...binaryFaults(options, ota)];
    },
    refusalOf: async ({ update }) =>
      switchesOn(update?.ota ?? {}) ? await options.updates.unusableRoot() : null,
  };
}

/** An unusable root of trust must not come to light only when an update is due. */
function switchesOn({ enabled, auto_update_rules, auto_update_binary, server }: OtaChange): boolean {
  return enabled === true || auto_update_rules === true || auto_update_binary === true || Boolean(server);
}

/** Checked only where it is written: a server that is there already does not stop other changes. */
function serverFaults({ mayUpdateFrom }: SettingsGuardOptions, { server = "" }: OtaChange): Fault[] {
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

function channelFaults({ allowedChannels }: SettingsGuardOptions, { channel }: OtaChange): Fault[] {
  if (channel === undefined || allowedChannels === null || allowedChannels.includes(channel)) return [];
  const detail = `must be one of those that the host file allows: ${allowedChannels.join(", ")}`;
  return [settingFault("/update/ota/channel", "pinned_by_host", { code: "not_allowed", detail })];
}

function binaryFaults({ updates }: SettingsGuardOptions, { auto_update_binary }: OtaChange): Fault[] {
  if (auto_update_binary !== true || updates.isTrustEstablished()) return [];
  const detail =
    "needs a root of trust that is installed on the device, confirmed by an administrator, and proven by one complete refresh from the server";
  return [
    settingFault("/update/ota/auto_update_binary", "update_trust_not_established", {
      code: "not_allowed",
      detail,
    }),
  ];
}
