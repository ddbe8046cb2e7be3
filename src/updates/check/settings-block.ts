import type { ErrorCode } from "../../contract/error-codes.ts";
import { StewardError } from "../../contract/errors.ts";
import { type HoldReason, holdBecause } from "../facts/hold-reason.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";

type BlockCode = "signature_verification_off" | "channel_not_allowed";

/**
 * Why the settings block all updates; null: they do not. The API refuses such settings: they stand only in a file that
 * was edited by hand, or that is older than the host file.
 */
export function settingsBlock(
  options: Pick<UpdaterOptions, "settings" | "allowedChannels">,
): (HoldReason & { readonly code: BlockCode }) | null {
  const { verify_signature, channel } = options.settings().ota;
  const { allowedChannels } = options;
  if (!verify_signature) return blockOf("signature_verification_off", "/update/ota/verify_signature");
  if (allowedChannels === null || allowedChannels.includes(channel)) return null;
  return blockOf("channel_not_allowed", "/update/ota/channel", { channel, allowedChannels });
}

function blockOf(
  code: BlockCode,
  setting: string,
  facts: { channel?: string; allowedChannels?: readonly string[] } = {},
): HoldReason & { readonly code: BlockCode } {
  return { ...holdBecause(code, { setting, ...facts }), code };
}

const errors: Readonly<Record<BlockCode, ErrorCode>> = {
  signature_verification_off: "signature_verification_required",
  channel_not_allowed: "pinned_by_host",
};

/** Throws `signature_verification_required`, `pinned_by_host` where the settings block all updates. */
export function requireSettings(options: Pick<UpdaterOptions, "settings" | "allowedChannels">): void {
  const block = settingsBlock(options);
  if (block !== null) throw new StewardError(errors[block.code], block.detail);
}
