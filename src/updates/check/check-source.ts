import { StewardError } from "../../contract/errors.ts";
import type { UpdaterOptions } from "../updater-options.ts";
import type { CheckSource } from "./check-outcome.ts";
import { notConfigured } from "./check-refusals.ts";
import { settingsBlock } from "./settings-block.ts";

/**
 * What a person's check reads: the directory that he names, else the server. Throws `signature_verification_required`,
 * `pinned_by_host`, `update_not_configured`.
 */
export function sourceOf(
  options: Pick<UpdaterOptions, "settings" | "allowedChannels">,
  repository: string | undefined,
): CheckSource {
  const block = settingsBlock(options);
  if (block !== null) throw new StewardError(block.code, `${block.words}.`);
  const { server } = options.settings().ota;
  const url = repository ?? server;
  if (url === "") throw notConfigured();
  return { url, isServer: url === server };
}
