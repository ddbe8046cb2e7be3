import type { ErrorCode } from "../../contract/error-codes.ts";
import { StewardError } from "../../contract/errors.ts";
import type { BlockingHoldCode } from "../../contract/updates/update-summaries.ts";
import { holdBecause } from "../facts/hold-reason.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import type { CheckSource } from "./check-outcome.ts";

/** The reason why the settings block all updates, as only an edited file, or an old one, may; null: they do not. */
export function settingsBlock(options: Pick<UpdaterOptions, "settings" | "allowedChannels">) {
  const { verify_signature, channel } = options.settings().ota;
  const { allowedChannels } = options;
  if (!verify_signature)
    return holdBecause("signature_verification_off", { setting: "/update/ota/verify_signature" });
  if (allowedChannels === null || allowedChannels.includes(channel)) return null;
  return holdBecause("channel_not_allowed", {
    setting: "/update/ota/channel",
    facts: { channel, allowed_channels: [...allowedChannels] },
  });
}

const errors = {
  signature_verification_off: "signature_verification_required",
  channel_not_allowed: "pinned_by_host",
} as const satisfies Partial<Record<BlockingHoldCode, ErrorCode>>;

/** Throws `signature_verification_required`, `pinned_by_host` where the settings block all updates. */
export function requireSettings(options: Pick<UpdaterOptions, "settings" | "allowedChannels">): void {
  const block = settingsBlock(options);
  if (block !== null) throw new StewardError(errors[block.code], block.detail);
}

/** The directory, else the server. Throws `signature_verification_required`, `pinned_by_host`, `update_not_configured`. */
export function sourceOf(
  options: Pick<UpdaterOptions, "settings" | "allowedChannels">,
  repository: string | undefined,
): CheckSource {
  requireSettings(options);
  const { server } = options.settings().ota;
  const url = repository ?? server;
  if (url === "")
    throw new StewardError(
      "update_not_configured",
      "No update server is set: set update.ota.server, or name a directory with a repository.",
    );
  return { url, isServer: url === server };
}
