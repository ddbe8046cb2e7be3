import type { Fault } from "../contract/errors.ts";
import type { Settings, SettingsChange } from "../contract/types.ts";
import { dotted, mergeSettings, onlyDifferences } from "./changes.ts";
import { settingsErrors } from "./rules.ts";

/** What settings are judged by besides their rules. */
export interface FaultOptions {
  /** True once a root of trust is installed, confirmed, and one refresh under it has succeeded. */
  isUpdateTrustEstablished: () => boolean;
  /** Whether the host lets updates come from there, as far as the address as it is written tells. */
  mayUpdateFrom: (server: string) => boolean;
  /** Channels that the host lets updates come from; null: any. */
  allowedChannels: readonly string[] | null;
}

/**
 * All that is wrong with the settings as a change would make them. What is given as it stands already is no change, so
 * that settings that were read can be written back.
 */
export function settingsFaults(options: FaultOptions, present: Settings, change: SettingsChange): Fault[] {
  const next = mergeSettings(present, change);
  const ota = onlyDifferences(present, change).update?.ota ?? {};
  return [
    ...signatureFaults(ota),
    ...settingsErrors(next).map((error) => faultAt(error.pointer, "validation_failed", error)),
    ...serverFaults(options, present, next),
    ...channelFaults(options, ota),
    ...binaryFaults(options, ota),
  ];
}

type Ota = NonNullable<NonNullable<SettingsChange["update"]>["ota"]>;

function faultAt(
  pointer: string,
  as: Fault["as"],
  { code, detail }: { code: string; detail: string },
): Fault {
  return { pointer, code, detail, as, sentence: `${dotted(pointer)} ${detail}` };
}

function signatureFaults({ verify_signature }: Ota): Fault[] {
  if (verify_signature !== false) return [];
  const detail = "must stay true: nothing runs here that is not signed";
  const said = { code: "must_be_true", detail };
  return [faultAt("/update/ota/verify_signature", "signature_verification_required", said)];
}

/**
 * A writer of settings could otherwise have the agent ask what listens on the device for itself alone. Looked at
 * only where it is written: a server that stands there already does not stop other changes.
 */
function serverFaults({ mayUpdateFrom }: FaultOptions, present: Settings, next: Settings): Fault[] {
  const { server } = next.update.ota;
  if (server === present.update.ota.server || mayUpdateFrom(server)) return [];
  const detail =
    "must not be a loopback or link-local address; for a trial, root sets update.allow_local_servers in the host file";
  return [faultAt("/update/ota/server", "validation_failed", { code: "not_allowed", detail })];
}

function channelFaults({ allowedChannels }: FaultOptions, { channel }: Ota): Fault[] {
  if (channel === undefined || allowedChannels === null || allowedChannels.includes(channel)) return [];
  const detail = `must be one of those that the host file allows: ${allowedChannels.join(", ")}`;
  return [faultAt("/update/ota/channel", "pinned_by_host", { code: "not_allowed", detail })];
}

function binaryFaults({ isUpdateTrustEstablished }: FaultOptions, { auto_update_binary }: Ota): Fault[] {
  if (auto_update_binary !== true || isUpdateTrustEstablished()) return [];
  const detail =
    "needs a root of trust that is installed on the device, confirmed by an administrator, and proven by one complete refresh from the server";
  const said = { code: "not_allowed", detail };
  return [faultAt("/update/ota/auto_update_binary", "update_trust_not_established", said)];
}
