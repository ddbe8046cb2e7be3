import type { FindingCode } from "../../findings.ts";
import { type ClockSentence, type ClockWords, type SourceWords, toolOf } from "../clock.ts";
import { type Format, typed } from "../format.ts";

/** Names of what a reader can do, at a terminal and in the console. */
const ways = {
  servers: ["time.servers", "the time settings"],
  automatic: ["set time.mode to auto", "choose “Automatic” in the time settings"],
  measure: ["`steward time reselect`", "“Choose sources again”"],
  correct: ["`steward time sync`", "“Sync now”"],
  setByHand: ["set the clock by hand: `steward time set TIME`", "set the clock to this browser's time"],
} as const;

function way(name: keyof typeof ways, { isTerminal }: Format): string {
  return ways[name][isTerminal ? 0 : 1];
}

/** A sentence with lines to type; in the console buttons do the same. */
function toType(sentence: string, { isTerminal }: Format): string {
  return isTerminal ? ` ${sentence}` : "";
}

/** `2000 s behind`. */
export const lag = (seconds: number | null | undefined, { span }: Pick<Format, "span">): string =>
  `${span(Math.abs(seconds ?? 0))} ${(seconds ?? 0) < 0 ? "ahead" : "behind"}`;

const when = (at: string | null | undefined, { moment }: Format): string =>
  at ? moment(at) : "an impossible date";

const no_time_source: ClockSentence = ({ server, cause }, format) =>
  `None of the time servers gives a usable answer${server ? `: ${server} refuses this device${cause == null ? "" : ` (${cause})`}. Name others in ` : ". Check the network and "}${way("servers", format)}.${toType("`steward time status` says why for each. Without a network: `steward time set TIME`.", format)}`;

const no_majority: ClockSentence = (_, format) =>
  `The time servers do not agree with each other, and no group of them is a majority. Remove the wrong one in ${way("servers", format)}, or add others.`;

/** `configured`: with `time.authenticated_only` the number of servers with NTS. */
const too_few: ClockSentence = ({ agreeing, configured, needed, daemon }, { isTerminal }) => {
  const servers = configured == null ? "time servers" : `${configured} authenticated time servers`;
  const refused = `; ${isTerminal ? "time.authenticated_only refuses" : "the settings refuse"} the others, so ${daemon == null ? "the clock is held" : `the time of ${daemon} is not trusted`}`;
  const rule = configured != null ? refused : isTerminal ? " (time.min_agreeing)" : "";
  const found =
    agreeing === 1
      ? `Only one of the ${servers} gives a usable answer`
      : `Only ${agreeing} of the ${servers} agree`;
  return `${found}, and ${needed} must agree${rule}. Add servers, or check why the others are silent.`;
};

const suspect: ClockSentence = ({ server }, format) =>
  `The only time server, ${server}, gave two answers that contradict each other. The clock was not changed. Add a second server in ${way("servers", format)}.`;

const panic_threshold: ClockSentence = ({ offset_seconds }, format) => {
  const limit = format.isTerminal ? "time.panic_threshold allows in service" : "the settings allow";
  return `The time servers say that this clock is ${lag(offset_seconds, format)}, more than ${limit}. Check the time servers.${toType("If they are right: `steward time sync --force`.", format)}`;
};

const below_floor: ClockSentence = ({ measured_at }, format) =>
  `The time servers say ${when(measured_at, format)}, which this device knows to be in the past. Check the time servers.${toType("If they are right, the floor is wrong: `steward time floor reset` as root.", format)}`;

const beyond_ceiling: ClockSentence = ({ measured_at }, format) =>
  `The time servers say ${when(measured_at, format)}, more than 15 years after this program was built. Check the time servers.`;

const votes: ClockSentence = ({ agreeing, configured, needed, daemon }) => {
  const sources = daemon == null ? "configured servers" : "of its sources";
  return `${agreeing} of ${configured} ${sources} ${agreeing === 1 ? "agrees" : "agree"}: the time is accepted, and trusted only when ${needed} agree. Check why the others are silent or differ.`;
};

const conflicts: ClockWords["conflicts"] = {
  other_daemon: ({ daemon }) => `${daemon} sets this clock too.`,
  clock_stepped: ({ step_seconds }, { span }) =>
    `Another program or person set the clock ${(step_seconds ?? 0) < 0 ? "back" : "forward"} by ${span(Math.abs(step_seconds ?? 0))}.`,
  frequency_set: ({ frequency_ppm }) =>
    `Another program set the clock's frequency to ${frequency_ppm?.toFixed(3)} ppm.`,
};

const onlyMeasures = "Steward only measures the clock meanwhile.";

const findTheCause: ClockSentence = (_, format) =>
  `${onlyMeasures} Find the cause${format.isTerminal ? ", or choose another time.mode" : ""}.`;

const conflictAdvice: ClockWords["conflictAdvice"] = {
  other_daemon: (_, format) => `${onlyMeasures} Stop one of the two, or ${way("automatic", format)}.`,
  clock_stepped: findTheCause,
  frequency_set: findTheCause,
};

const notSet =
  (reason: string, atTerminal = reason): ClockSentence =>
  ({ offset_seconds, isMeasured }, format) => {
    const state = isMeasured ? "measured and not set" : "not set";
    const off =
      offset_seconds == null ? "" : ` It is ${lag(offset_seconds, format)}; sign-in allows for that.`;
    return `The host's own clock is ${state}: ${format.isTerminal ? atTerminal : reason}.${off}`;
  };

const daemonTrouble =
  (trouble: string, advice = ""): ClockSentence =>
  ({ daemon, cause }) => {
    const said = cause == null ? "" : ` (${cause})`;
    return `${toolOf(daemon)} ${trouble}${said}: the state of ${daemon} is not known.${daemon === "chronyd" ? advice : ""}`;
  };

export const clockWords: ClockWords = {
  summary: {
    not_measured: (_, format) =>
      `The clock has not been measured yet. ${way("measure", format)} measures it, and sets nothing.`,
    rescue: (_, format) =>
      `The stored state of this device is damaged, so the clock is not set. On the device, root finds out more with ${typed("steward doctor", format)}.`,
    acquiring: () => "The time servers are being asked.",
    synchronised: () => "The clock is right.",
    host_not_corrected: () => "The right time is known.",
    manual: (_, { isTerminal }) =>
      `The clock is set by hand${isTerminal ? " (time.mode is manual)" : ""}; no time server is asked.`,
    set_by_hand: () => "The clock was set by hand.",
    conflict: () => "Another program or person sets this clock.",
    daemon_not_read: ({ daemon }) => `${daemon} sets this clock. Its state is not known yet.`,
    daemon_synchronised: ({ daemon }) => `${daemon} keeps this clock right.`,
    daemon_unsynchronised: ({ daemon }) => `${daemon} is running but does not know the time yet.`,
    to_be_confirmed: ({ offset_seconds }, format) =>
      `The sources say that this clock is ${lag(offset_seconds, format)}. Two more polls must confirm it; ${way("correct", format)} measures and sets it now.`,
    no_servers: (_, format) =>
      `No time servers are set. Add some in ${way("servers", format)}, or ${way("setByHand", format)}.`,
  },
  ...{ conflicts, conflictAdvice },
  remarks: { runs_on: () => "Until then the clock keeps running at its last known rate.", votes },
  daemonTroubles: {
    command_failed: daemonTrouble("could not be run"),
    unknown_format: daemonTrouble("answers in an unknown format"),
    no_answer: daemonTrouble(
      "gets no answer",
      " Its command port has to be open on 127.0.0.1: remove “cmdport 0” from its configuration.",
    ),
    not_observable: ({ daemon }) => `Steward cannot read how well ${daemon} keeps the time.`,
  },
  notSet: {
    chosen: notSet("as chosen in the time settings", "time.mode is observe"),
    no_daemon: notSet(
      "another program should set it, and none runs",
      "time.mode is delegate, and no time daemon runs",
    ),
    other_daemon: notSet("another time service runs", "a time daemon runs, and time.mode is discipline"),
    external_change: notSet("another program or person changed it"),
    not_asked_to: notSet(
      "the agent was started without permission to set it",
      "the agent was started without --steer-clock, which steward-timekeeper adds",
    ),
    no_addon: notSet("clock-steering.node is not beside the program, or does not fit this machine"),
    no_capability: notSet("the agent does not have the right to set it (CAP_SYS_TIME)"),
  },
};

const withAdvice =
  (code: keyof ClockWords["conflicts"]): ClockSentence =>
  (facts, format) =>
    `${conflicts[code](facts, format)} ${conflictAdvice[code](facts, format)}`;

/** The findings about the clock. */
export const clockFindings: Readonly<
  Record<Extract<FindingCode, `clock_${string}` | "battery_clock_wrong">, ClockSentence>
> = {
  clock_set_by_other_daemon: withAdvice("other_daemon"),
  clock_stepped_externally: withAdvice("clock_stepped"),
  clock_frequency_set_externally: withAdvice("frequency_set"),
  clock_no_time_source: no_time_source,
  clock_no_majority: no_majority,
  clock_too_few_agree: too_few,
  clock_too_few_authenticated: too_few,
  clock_minority_agrees: votes,
  clock_server_suspect: suspect,
  clock_panic_threshold: panic_threshold,
  clock_below_floor: below_floor,
  clock_beyond_ceiling: beyond_ceiling,
  battery_clock_wrong: ({ offset_seconds }, format) =>
    `The battery-backed clock was ${lag(offset_seconds, format)} when Steward started: it has not kept the time without power. After the next power cut this device begins with a wrong time until a time server answers. Replace its battery.`,
};

export const sourceWords: SourceWords = {
  reasons: {
    not_asked: "not asked yet",
    not_heard: "no usable answer",
    same_server: "the same server as another one",
    name_not_found: "the name is not found",
    name_not_answered: "the name servers do not answer; with DNSSEC they may not before the clock is right",
    no_address: "the name has no address",
    local_address: "not asked: it is on this device or its link, and not set",
    timeout: "no answer within 5 s",
    connection_refused: "no time server runs there",
    network_unreachable: "no network connection to it",
    host_unreachable: "no route to it",
    system_error: "the request failed",
    bad_packet: "the answer cannot be used",
    server_unsynchronised: "it is not in sync itself",
    too_uncertain: "it may be wrong by more than time.max_root_distance allows",
    kiss_denied: "it refuses this device",
    kiss_rate: "it asks for fewer requests",
    second_opinion_differs: "a second measurement gave another time",
    majority_differs: "ignored because it disagrees with the majority",
    below_floor: "it gives a time that has certainly passed",
    beyond_ceiling: "it gives a time more than 15 years after this program was built",
    too_few_agree: "ignored because too few others agree",
    no_majority: "no group of sources is a majority",
    scatters: "it varies more than the others",
    not_preferred: "usable, but others are preferred",
    not_selected: "not chosen yet",
    varies: "its time varies too much",
    spike: "its last answer was too different",
    not_authenticated: "not asked, because it is not authenticated",
    not_authentic: "the answer is not authentic",
    nts_nak: "it no longer knows its own cookie",
    nts_unreachable: "key exchange: no network connection to it",
    nts_tls_version: "it speaks TLS up to 1.2, and NTS needs 1.3",
    nts_closed: "key exchange: it closed the connection",
    nts_not_offered: "it offers no NTS",
    nts_unknown_authority: "certificate: unknown authority",
    nts_wrong_name: "certificate: for another name",
    nts_certificate_expired: "certificate: expired",
    nts_certificate_not_yet_valid: "certificate: not valid yet",
    nts_bad_certificate: "certificate: cannot be used",
    nts_cannot_verify: "certificate: cannot be verified here",
    nts_refused: "key exchange: refused",
    nts_no_answer: "key exchange: no answer",
    nts_not_confirmed: "certificate: its dates are checked when a majority agrees on a time",
  },
  atLastPoll: (reason) => `${reason} at the last poll`,
};
