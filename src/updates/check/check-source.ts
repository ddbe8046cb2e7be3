import { StewardError } from "../../contract/errors.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import type { CheckSource } from "./check-outcome.ts";
import { requireSettings } from "./settings-block.ts";

/**
 * The source of a requested check: the named directory, else the server. Throws `signature_verification_required`,
 * `pinned_by_host`, `update_not_configured`.
 */
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
