import type { ErrorCode } from "../../contract/error-codes.ts";
import type { UpdaterOptions } from "../updater-options.ts";

/** Why updates are blocked by what stands in the settings. */
export interface SettingsBlock {
  readonly code: ErrorCode;
  /** A sentence without its full stop. */
  readonly words: string;
}

/** null: they are not. The API refuses such settings: they stand only in a file that was edited by hand, or that is older than the host file. */
export function settingsBlock(
  options: Pick<UpdaterOptions, "settings" | "allowedChannels">,
): SettingsBlock | null {
  const { verify_signature, channel } = options.settings().ota;
  if (!verify_signature) {
    const words =
      "update.ota.verify_signature is false in settings.json: updates are blocked until it is true again, for nothing runs here that is not signed";
    return { code: "signature_verification_required", words };
  }
  const { allowedChannels } = options;
  if (allowedChannels === null || allowedChannels.includes(channel)) return null;
  const words = `update.ota.channel is "${channel}", which the host file does not allow: updates are blocked until it is one of those that it does: ${allowedChannels.join(", ")}`;
  return { code: "pinned_by_host", words };
}
