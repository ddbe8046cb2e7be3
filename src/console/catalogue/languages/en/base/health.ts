import type { FindingCode } from "../../../../../contract/findings.ts";
import type { UpdateProblem } from "../../../../../contract/types.ts";
import { clockFindings } from "../../../../../contract/words/en/clock.ts";

/** Facts of a health check as people read them. */
export interface HealthFacts {
  readonly path?: string | undefined;
  readonly free?: string | undefined;
  readonly least?: string | undefined;
  readonly free_inodes?: number | undefined;
  readonly document?: string | undefined;
  readonly waiting?: number | undefined;
  readonly lost?: number | undefined;
  readonly lines?: number | undefined;
  /** As a group of events is called. */
  readonly record: string;
  readonly complete_since: string;
  readonly users?: number | undefined;
  readonly parts?: string | undefined;
  readonly address?: string | undefined;
  readonly faults?: string | undefined;
  readonly members?: string | undefined;
  readonly certificate?: string | undefined;
  /** What the check is called. */
  readonly check: string;
  /** What an error code is called. */
  readonly problem: string;
}

/** What health checks find, by code, with the facts that the code has. */
export const healthWords = {
  /** By the name of the check. */
  checks: {
    "host file": "host file",
    state: "stored state",
    disk: "disk",
    users: "users",
    settings: "settings",
    sessions: "sessions",
    attempts: "failed sign-ins",
    tokens: "API tokens",
    "used-codes": "used codes",
    clock: "clock data",
    updates: "updates",
    register: "list of documents",
    events: "event log",
    "two-factor key": "second-factor key",
    time: "clock",
    listening: "connections on the device",
    program: "program",
    "root helper": "root helper",
  } as Readonly<Record<string, string>>,
  /** By the name of a record of events. */
  records: {
    users: "users",
    tokens: "API tokens",
    trust: "trust in updates",
    updates: "updates",
    configuration: "settings and the device",
    use: "sign-ins and the clock",
  } as Readonly<Record<string, string>>,
  /** By code: findings about the clock, then the others. */
  clockFindings,
  codes: {
    ok: () => "",
    state_damaged: () =>
      "The stored state is damaged, and nothing can be changed. On the device, root finds out more with steward doctor.",
    state_unreachable: () => "The agent cannot reach its stored state.",
    disk_read_only: ({ path }) =>
      `The disk at ${path} is read-only. Users can sign in and read; changes of users and settings are refused.`,
    disk_space_unknown: ({ path }) => `The disk at ${path} does not say how much space is left.`,
    disk_space_low: ({ path, free, least }) =>
      `Only ${free} are free at ${path}; below ${least} this warns. When the disk is full, changes of users and settings are refused.`,
    disk_inodes_low: ({ path, free_inodes }) =>
      `Only ${free_inodes} more files fit at ${path}. At none, changes of users and settings are refused.`,
    disk_reserve_missing: ({ path }) =>
      `The space that is kept in reserve at ${path} is missing: free some space there.`,
    document_not_written: ({ check, problem }) =>
      `The last change could not be saved (${check}): ${problem}.`,
    document_waiting: ({ check }) => `Changes are kept in memory until the disk can be written (${check}).`,
    document_damage_found: ({ check, document }) =>
      `Damaged data was found and replaced (${check}). Check whether something is missing; then root accepts it on the device with steward state accept ${document}.`,
    events_not_written: ({ waiting }) => `${waiting} events are in memory and not saved yet.`,
    events_lost: ({ lost }) => `${lost} events could not be saved; the system journal has them.`,
    events_damaged: ({ lines }) =>
      `${lines} ${lines === 1 ? "line" : "lines"} of the event log cannot be verified. They were kept, and a new file was started.`,
    events_short: ({ record, complete_since }) =>
      `The record of ${record} is complete only since ${complete_since}: more happened than there is room for. Look at the events for who does so much.`,
    sealing_key_unusable: ({ path, users }) =>
      `The key for second factors at ${path} cannot be used. Affected users: ${users ?? 0}. Their recovery codes work.`,
    sealing_key_missing: ({ path, users }) =>
      `The key for second factors is missing: put it back at ${path} and restart the agent. Affected users: ${users ?? 0}. Their recovery codes work.`,
    updates_degraded: () => "The updates need attention.",
    socket_unavailable: ({ path }) =>
      `Commands on the device do not reach the agent: its socket ${path} is gone.`,
    port_unavailable: ({ address }) =>
      `Another program on the device has ${address}. Pages that are opened there may not be those of Steward.`,
    host_file_refused: ({ path, faults }) =>
      `The host file ${path} cannot be used, and the one before it is in force. Root corrects it on the device: steward host-file check. ${faults}`,
    host_file_without_copy: ({ path, faults }) =>
      `The host file ${path} cannot be used: until root corrects it, this device is reached only from itself and updates nothing. ${faults}`,
    host_file_members_unknown: ({ path, members }) =>
      `Parts of the host file ${path} have no effect, because this release does not know them: ${members}.`,
    https_unavailable: () => "HTTPS does not listen as the host file says.",
    https_certificate_refused: ({ certificate }) => `The certificate ${certificate} cannot be used.`,
    https_certificate_ending: ({ certificate }) =>
      `The certificate ${certificate} ends soon. Install a new one.`,
    https_certificate_expired: ({ certificate }) =>
      `The certificate ${certificate} has expired, and browsers refuse it. If the clock is right, install a new one.`,
    https_certificate_early: ({ certificate }) =>
      `The certificate ${certificate} is not valid yet by this clock, and browsers refuse it. Check the clock.`,
    program_broken: ({ parts }) => `Parts of the program do not work: ${parts}. Install it again.`,
    root_helper_missing: () =>
      "The root helper cannot be asked: updates are not installed, and restart, host name and time zone are refused. On the device, root finds the line to type with steward doctor.",
    program_untested: () => "The program could not test itself.",
  } satisfies Record<Exclude<FindingCode, keyof typeof clockFindings> | "ok", (facts: HealthFacts) => string>,
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
