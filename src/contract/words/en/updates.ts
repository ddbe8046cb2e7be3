import type { TrustWords, UpdateWords } from "../../update-facts.ts";

export const updateWords: UpdateWords = {
  holds: {
    failed: ({ kind, reason }) =>
      `It failed on this device and is not applied again. ${reason} Wait for a newer release, or allow this one as root with \`steward update apply${kind && ` ${kind}`} --again\`.`,
    held: ({ reason }) =>
      `It was undone on this device, so it is no longer applied automatically. ${reason} An administrator can apply it.`,
    deferred: ({ until, reason }) =>
      `It was undone because the device restarted. ${reason} ${until ? `It is tried again ${until}, or when an administrator applies it.` : "An administrator can apply it."}`,
    not_configured: ({ setting }) =>
      `Updates of this kind are not set up. Root can set them up in the host file${setting}.`,
    not_automatic: ({ setting }) => `Releases of this kind are applied on request only${setting}.`,
    trust_not_established: () => "It waits until the publisher is trusted, or an administrator applies it.",
    clock_not_trusted: () =>
      "It waits until the clock of this device is trusted: before that, an outdated release cannot be recognised.",
    wave: ({ until }) => `It is released in waves, and the turn of this device comes ${until}.`,
    disabled: ({ setting }) => `Scheduled updates are off${setting}, so it is applied on request only.`,
    postponed: ({ until }) => `It is postponed; that ends ${until}.`,
    window: ({ until, setting }) => `It waits for the next update window${setting}${until && `, ${until}`}.`,
    busy: ({ in_progress = "" }) =>
      `It waits until the update in progress has ended${in_progress && `: ${in_progress}`}.`,
    download_failed: ({ until, reason }) =>
      `The last download failed${until && ` and is tried again ${until}`}. ${reason}`,
  },
  summaries: {
    checking: () => "Checking for updates …",
    downloading: ({ what }) => `${what || "A release"} is being downloaded.`,
    requested: ({ what }) => `The installer has been started for ${what}.`,
    installing: ({ what }) => `${what} is being installed.`,
    confirming: ({ what }) => `${what} is running, and its health is being watched.`,
    rolling_back: ({ what }) => `${what} is being undone.`,
    waiting_for_clock: ({ what }) =>
      `${what} is available. It is fetched when the clock of this device is trusted: see \`steward time status\`.`,
    check_waiting_for_clock: () =>
      "While the clock of this device is not trusted, it is not known whether the server's metadata has expired: see `steward time status`.",
    available: ({ what, reason }) => `${what} is available. ${reason || "A check fetches it."}`,
    staged: ({ what, reason }) => `${what} is downloaded and verified, and can be applied. ${reason}`,
    applied: ({ what, when }) => `${what} was applied ${when} and is healthy.`,
    undone: ({ what, when, reason }) => `${what} was undone ${when}. ${reason}`,
    server_not_set: ({ setting }) =>
      `No update server is set${setting}, so this device cannot check for updates.`,
    not_checked: () => "No check has been made yet: the first one comes soon.",
    not_checked_disabled: ({ setting }) =>
      `No check has been made yet, and scheduled updates are off${setting}.`,
    nothing_newer: ({ when }) => `The last check, ${when}, found nothing newer for this device.`,
    check_failed: ({ when, count, reason }) =>
      `The last check, ${when}, failed${count > 1 ? ` (${count} in a row)` : ""}. ${reason}`,
  },
  reasons: {
    healthy: () => "It became healthy.",
    confirmed_by_root: () => "Root confirmed it.",
    unclean_exits: ({ count }) => `It crashed ${count} times.`,
    not_healthy_in_time: () => "It did not become healthy in time.",
    activation_failed: () => "It could not be activated.",
    configuration_removed: () => "Updates of this kind are no longer set up in the host file.",
    restarts: ({ count }) => `The device restarted ${count} times before it became healthy.`,
    aborted_by_root: () => "Root stopped it.",
    overtaken: () => "A package of the same or a newer version was installed.",
    rolled_back: () => "It was undone on request.",
    interrupted: () => "It was interrupted before anything was changed. It can be applied again.",
    unrecorded: () => "An earlier version of Steward did not record the reason.",
  },
  attempts: {
    good: "is installed",
    failed: "failed and was undone",
    deferred: "was undone because of restarts and is deferred",
    aborted: "was undone and is held",
    overtaken: "was undone",
    rolled_back: "was undone on request and is held",
    refused: "was refused; nothing was changed",
  },
  passedOver: {
    withdrawn: ({ here, detail }) =>
      `${here === null ? "" : "is installed, and "}was withdrawn by its publisher${detail ? `: ${detail}` : ""}`,
    below_floor: ({ here }) => `is below ${here}, the lowest version that its publisher still allows`,
    needs_newer_agent: ({ offered, here }) => `needs an agent of version ${offered}, and this one is ${here}`,
    failed: () => "failed on this device before",
    held: () => "is held back on this device",
    unreadable: ({ detail }) => detail ?? "cannot be read",
    other_channel: ({ offered, here }) => `is of the channel ${offered}, not ${here}`,
    other_arch: ({ offered, here }) => `is for ${offered}, and this device is ${here}`,
    other_product: ({ offered, here }) => `is for the product ${offered}, not ${here}`,
    not_newer: ({ version, here }) =>
      version === here ? "is installed" : `is not newer than ${here}, which is installed`,
  },
};

export const trustWords: TrustWords = {
  not_confirmed: () =>
    "The fingerprint of this root of trust has not been compared yet, so services are not updated automatically. Compare it on the Updates page or with `steward update trust confirm FINGERPRINT`.",
  not_proven: () =>
    "The update server has not been checked against this root of trust yet: check for updates.",
  established: () => "The root of trust is installed, confirmed and proven.",
};
