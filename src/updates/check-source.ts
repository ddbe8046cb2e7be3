import type { Settings } from "../contract/types.ts";
import { StewardError } from "../errors.ts";
import type { CheckSource } from "./check-outcome.ts";
import { notConfigured } from "./check-refusals.ts";
import { unverified } from "./update-status.ts";

/**
 * What a person's check reads: the directory that he names, else the server. Throws `signature_verification_required`,
 * `update_not_configured`.
 */
export function sourceOf(ota: Settings["update"]["ota"], repository: string | undefined): CheckSource {
  if (!ota.verify_signature) throw new StewardError("signature_verification_required", `${unverified}.`);
  const url = repository ?? ota.server;
  if (url === "") throw notConfigured();
  return { url, isServer: url === ota.server };
}
