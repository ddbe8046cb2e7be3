import { typed } from "../format.ts";
import type { FindingWords, PartEffects } from "../needs.ts";
import { clockFindings } from "./clock.ts";

/** The parts of the device that health checks are about, by the name of the check. */
export const checkNames: Readonly<Record<string, string>> = {
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
  events: "record of events",
  "two-factor key": "second-factor key",
  "receiver-secrets": "secrets of receivers",
  outbox: "progress of receivers",
  notifications: "notifications",
  time: "clock",
  credentials: "credentials",
  backup: "daily backup",
  upload: "sending of audit lines",
  listening: "connections on the device",
  program: "program",
  "root helper": "root helper",
};

/** The failures that follow from a part of the program that does not work. */
const partEffects: PartEffects = {
  signatures: "signatures of updates cannot be verified",
  "two-factor": "second factors cannot be checked",
  passwords: "passwords cannot be checked, and no sign-in succeeds",
  clock: "the clock cannot be set, and is read less exactly",
  rights:
    "root's rights cannot be given up: no update is installed, and commands fail while the agent is down",
};

const nameOf = (document: string): string => checkNames[document] ?? document;

/** Three keys; a device has one, or a former one besides. */
const namesOf = (keys: readonly string[]): string =>
  keys.length === 0 ? "" : ` (${keys.slice(0, 3).join(", ")}${keys.length > 3 ? " and others" : ""})`;

const concernedBy = (users: number): string =>
  users === 0
    ? "No user is affected."
    : `${users === 1 ? "1 user is" : `${users} users are`} affected: codes cannot be checked, recovery codes work.`;

export const findingWords: FindingWords = {
  ...clockFindings,
  state_damaged: (_, format) =>
    `The stored state is damaged, and nothing can be changed. On the device, root finds out more with ${typed("steward doctor", format)}.`,
  state_unreachable: () => "The agent cannot reach its stored state.",
  disk_read_only: ({ path }) =>
    `The disk at ${path} is read-only. Users can sign in and read; changes to users and settings are refused.`,
  disk_space_unknown: ({ path }) => `The disk at ${path} does not say how much space is left.`,
  disk_space_low: ({ path, free_bytes, least_bytes, has_reserve }, { bytes }) =>
    `Only ${bytes(free_bytes)} are free on ${path}; the warning starts below ${bytes(least_bytes)}.${has_reserve ? "" : " The reserve, which is given up first, does not exist."} When the disk is full, changes to users and settings are refused.`,
  disk_inodes_low: ({ path, free_inodes, least_inodes }) =>
    `Only ${free_inodes} more files can be made on ${path}; the warning starts below ${least_inodes}. At none, changes to users and settings are refused.`,
  disk_reserve_missing: ({ path }) =>
    `The reserve on ${path}, which is given up first when the disk is full, does not exist: free some space there.`,
  document_not_written: ({ document, error }, format) =>
    `The last change could not be saved (${nameOf(document)}): ${format.error(error)}.`,
  document_waiting: ({ document }) =>
    `Changes are kept in memory until the disk can be written (${nameOf(document)}).`,
  document_damage_found: ({ document, found_at }, format) =>
    `Damaged data was found${found_at === "" ? "" : ` at ${format.moment(found_at)}`} and replaced (${nameOf(document)}). Check whether something is missing; then root accepts it on the device: ${typed(`steward state accept ${document}`, format)}.`,
  events_not_written: ({ waiting, lost, error }, format) =>
    `Events cannot be written: ${waiting} queued in memory, ${lost} dropped. ${format.error(error)}.`,
  events_lost: ({ lost }) => `${lost} events could not be saved; the system journal has them.`,
  events_damaged: ({ lines }) =>
    `Part of the record of events cannot be verified (lines: ${lines}). It was kept, and a new file was started.`,
  events_short: ({ complete_since }, { moment }) =>
    `The record of changes is complete only since ${moment(complete_since)}: more happened than it can hold. Look for the cause in the events.`,
  no_administrator: ({ users }) =>
    `No administrator of this device can sign in (users: ${users}): their one-use passwords are used up, or their second factors cannot be checked and no recovery code is left. Root lets one in on the device.`,
  sealing_key_unusable: ({ path, users }) =>
    `The key for second factors at ${path} cannot be used. ${concernedBy(users)}`,
  sealing_key_missing: ({ path, users, keys }) =>
    `The key for second factors${namesOf(keys)} is not on this device: put it back at ${path} and restart the agent. ${concernedBy(users)}`,
  updates_degraded: ({ problem }) => problem.detail,
  socket_unavailable: ({ path }) =>
    `Commands on the device do not reach the agent: its socket ${path} does not work.`,
  port_unavailable: ({ address }) =>
    `Another program on the device uses ${address}. Pages opened there may not be Steward's.`,
  host_file_refused: ({ path, faults }, format) =>
    `The host file ${path} cannot be used: ${faults.join("; ")}. The last accepted one is in force. Root corrects it on the device: ${typed("steward host-file check", format)}.`,
  host_file_without_copy: ({ path, faults }) =>
    `The host file ${path} cannot be used: ${faults.join("; ")}. Until root corrects it, this device can only be reached locally and installs no updates.`,
  host_file_members_unknown: ({ path, members }) =>
    `Parts of the host file ${path} have no effect, because this release does not know them: ${members.join(", ")}.`,
  https_unavailable: () => "HTTPS does not listen as the host file says.",
  https_name_taken: ({ address }) => `Another device on the LAN has the name ${address}.`,
  https_certificate_refused: ({ certificate }) => `The certificate ${certificate} cannot be used.`,
  https_certificate_ending: ({ certificate, ends_at }, { moment }) =>
    `The certificate ${certificate} expires at ${moment(ends_at)}. Install a new one.`,
  https_certificate_expired: ({ certificate, ends_at }, { moment }) =>
    `The certificate ${certificate} expired at ${moment(ends_at)}, and browsers refuse it. If the clock is right, install a new one.`,
  https_certificate_early: ({ certificate, begins_at }, { moment }) =>
    `The certificate ${certificate} is valid from ${moment(begins_at)} on, which is later than this clock, and browsers refuse it. Check the clock.`,
  program_broken: ({ parts }) =>
    `Parts of the program do not work: ${parts.map((part) => partEffects[part] ?? part).join("; ")}. Install it again.`,
  time_zone_unknown: ({ path }) => `The time zone of this device is not in its time zone database: ${path}.`,
  root_helper_missing: (_, format) =>
    `The root helper cannot be asked: updates are not installed, and restart, host name, time zone and time daemon cannot be changed. On the device, root finds the line to type with ${typed("steward doctor", format)}.`,
  sandbox_reduced: ({ members }) =>
    `The agent's surroundings, such as a container or a drop-in, have removed protections of its unit: ${members.join(", ")}.`,
  credential_lost: ({ path }) =>
    `${path} was put on this device, but systemd has not handed it to the agent, so it is not in force.`,
  backup_overdue: () => "The daily backup is switched on, but none has succeeded for two days.",
  upload_stopped: () =>
    "The service that sends audit lines to another machine is switched on, but does not keep running.",
  program_untested: () => "The program could not test itself.",
};
