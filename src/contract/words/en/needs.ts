import type { NeedWords } from "../needs.ts";

export const needWords: NeedWords = {
  rescue: { title: () => "The stored state is damaged" },
  setup_required: {
    title: () => "There is no administrator yet",
    text: () => "Create one before the device is used.",
  },
  no_administrator: { title: () => "No administrator can sign in" },
  program: { title: () => "The program needs attention" },
  root_helper: { title: () => "The root helper cannot be reached" },
  host_file: { title: () => "The host file needs attention" },
  disk: {
    title: ({ reason }) =>
      reason === "disk_read_only" ? "The disk cannot be written to" : "The disk needs space",
  },
  state_document: { title: () => "The stored state needs attention" },
  event_log: { title: () => "The record of events needs attention" },
  two_factor_key: { title: () => "The key of the second factors is missing" },
  credentials: { title: () => "The credentials need attention" },
  unit: { title: () => "The background work needs attention" },
  clock: {
    title: ({ reason, word, trust }) => {
      if (reason === "time_zone_unknown") return "The time zone is not known";
      if (reason === "battery_clock_wrong") return "The battery-backed clock is wrong";
      if (reason === "clock_minority_agrees") return "Too few time servers agree";
      if (reason.endsWith("_externally") || reason.endsWith("_daemon"))
        return "Another program sets the clock";
      if (word === "in_sync") return "The time servers need attention";
      return trust === "none" ? "The clock is not trusted" : "The clock is not in sync";
    },
    text: () => "Codes and updates may be refused until it is.",
  },
  listening: { title: () => "The agent cannot be reached everywhere" },
  https: { title: () => "HTTPS needs attention" },
  updates: { title: () => "The updates need attention" },
  update_available: {
    title: ({ what }) => `${what} is available`,
    text: () => "An administrator can apply it.",
  },
  update_failed: {
    title: ({ what }) => `${what} failed on this device`,
    text: () => "It was undone. This ends once a newer release works here.",
  },
  update_withdrawn: {
    title: ({ what }) => `${what} was withdrawn by its publisher`,
    text: ({ detail }) =>
      `It is installed.${detail ? ` "${detail}"` : ""} A newer release, or going back to the previous one, ends this.`,
  },
  update_trust_unconfirmed: {
    title: () => "Compare the publisher's fingerprint",
    text: () => "Until then, it is not certain whose updates this device takes.",
  },
  users_locked: {
    title: ({ what }) => `Locked users: ${what}`,
    text: () => "After too many wrong passwords or codes, sign-in is locked for a while.",
  },
  two_factor_missing: {
    title: ({ what }) => `Users without the required second factor: ${what}`,
    text: () => "Until then, they can do nothing else.",
  },
  second_factor_advised: {
    title: ({ what }) => `Set up a second factor: ${what}`,
    text: () => "Until then, only a password protects these administrators.",
  },
  device_unnamed: {
    title: () => "Name this device",
    text: ({ what }) => `It is shown by its host name, ${what}.`,
  },
  updates_not_set_up: {
    title: () => "Set up updates",
    text: ({ missing }) =>
      missing === "root"
        ? "Without a root of trust, no update is accepted."
        : "Without an update server, this device gets no updates.",
  },
  tokens_ending: {
    title: ({ count }) =>
      count === 1 ? "An API token in use ends soon" : `${count} API tokens in use end soon`,
    text: ({ when }) => `The first ends on ${when}. Its owner can create a new one.`,
  },
  no_receiver: {
    title: () => "Set up notifications",
    text: () => "Until then, no message is sent when something fails.",
  },
  receiver_failing: {
    title: ({ what, kind }) => (kind ? `${what} has refused messages` : `Messages do not reach ${what}`),
    text: ({ kind, detail = "" }) =>
      kind ? detail : `They wait until it accepts them again.${detail && ` ${detail}`}`,
  },
  product: { title: ({ what }) => what, text: () => "The product reports it." },
  product_silent: { title: ({ what }) => `No news of: ${what}`, text: () => "The product may be stuck." },
  support_ending: {
    title: ({ when }) => `The maker's support ends on ${when}`,
    text: () => "Plan for a successor to this device.",
  },
  support_ended: {
    title: ({ when }) => `The maker's support ended on ${when}`,
    text: () => "Expect no more updates that fix faults.",
  },
};
