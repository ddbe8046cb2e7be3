import type { UpdateProblemWords } from "../../update-facts.ts";

export const updateProblems: UpdateProblemWords = {
  signature_verification_off: ({ setting }) =>
    `Updates are blocked because verifying signatures is off in the stored settings${setting}. Root must turn it on.`,
  channel_not_allowed: ({ channel, allowed_channels, setting }) =>
    `Updates are blocked because the host file does not allow the channel ${channel}${setting}. Choose one of these: ${allowed_channels?.join(", ")}.`,
  trust_not_installed: () =>
    "No root of trust is installed, so updates are blocked. As root on this device, run `steward update trust install FILE` with your publisher's root.json.",
  trust_unusable: ({ reason }) => reason || "The installed root of trust cannot be used.",
  automatic_binary_ineffective: ({ setting }) =>
    `Automatic updates of the service are on${setting}, but have no effect until the publisher is trusted.`,
  journal_unreadable: ({ reason }) =>
    `The record of installed releases cannot be read, so nothing is applied. ${reason}`,
  former_not_healthy: ({ what, when, reason }) =>
    `${what} was undone ${when}. ${reason} Without this update it is not healthy either: look at the device and its log now.`,
  refused: ({ what, when, reason, until }) =>
    `The installer refused ${what || "it"}${when && ` ${when}`}. ${reason}${again(until)}`,
  installer_unavailable: ({ what, reason, until }) =>
    `The installer could not be started for ${what || "it"}. ${reason}${again(until)}`,
  request_failed: ({ what, reason }) => `${what || "The requested update"} could not be applied. ${reason}`,
  check_failed: ({ count, reason }) =>
    `The last ${count > 1 ? `${count} checks for updates` : "check for updates"} failed. ${reason}`,
  not_verifiable: ({ kind, reason }) =>
    `The last check could not verify what the publisher signed${kind ? ` for ${kind === "rules" ? "rules" : "services"}` : ""}, so none of it is accepted. ${reason}`,
};

function again(until: string): string {
  return until && ` It is tried again ${until}.`;
}
