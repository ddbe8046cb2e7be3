import type { UpdateProblem } from "../../../../../contract/types.ts";
import { checkNames, findingWords } from "../../../../../contract/words/en/findings.ts";

/** What health checks find, by code, with the facts that the code has. */
export const healthWords = {
  checks: checkNames,
  findings: findingWords,
  /** Problems with updates, by code, with the name of the release. */
  updates: {
    signature_verification_off: () => "Verifying signatures is off.",
    channel_not_allowed: () => "Root does not allow the channel that is set.",
    trust_not_installed: () => "No root of trust is installed.",
    trust_unusable: () => "The installed root of trust cannot be used.",
    automatic_binary_ineffective: () =>
      "Services are not updated automatically until the publisher is trusted.",
    journal_unreadable: () => "The record of installed releases cannot be read.",
    former_not_healthy: () => "The earlier release runs again and is not healthy.",
    refused: (release: string) => `The installer refused ${release}.`,
    installer_unavailable: () => "The installer could not be started.",
    request_failed: (release: string) => `Applying ${release} failed.`,
    check_failed: () => "The last check for updates failed.",
    not_verifiable: () => "The last check could not verify what the publisher signed.",
  } satisfies Record<UpdateProblem["code"], (release: string) => string>,
};
