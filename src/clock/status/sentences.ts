import type { ClockConflict, ClockSummary, TimeSource } from "../../contract/types.ts";

/** Every English sentence of the clock's status, from its codes and facts; clients of other languages go by these. */

type WithoutDetail<T> = Omit<T, "detail">;
type NotSet = NonNullable<ClockSummary["not_set"]>;
type DaemonTrouble = NonNullable<ClockSummary["daemon_trouble"]>;
type SourceReason = NonNullable<TimeSource["reason"]>;

/** How the clock is, and what to do where something is to be done. */
export function summarySentence(
  summary: WithoutDetail<ClockSummary>,
  conflict: WithoutDetail<ClockConflict> | null,
): string {
  const { daemon_trouble, runs_on, not_set } = summary;
  return [
    summary.code === "conflict" && conflict ? conflictAdvice(conflict) : mainSentence(summary),
    ...(runs_on ? ["Until then the clock runs on by what was known before."] : []),
    ...(summary.configured === null ? [] : [votesSentence(summary)]),
    ...(daemon_trouble ? [daemon_trouble.detail] : []),
    ...(not_set ? [not_set.detail] : []),
  ].join(" ");
}

function mainSentence(summary: WithoutDetail<ClockSummary>): string {
  const { code, daemon, server } = summary;
  switch (code) {
    case "not_measured":
      return "The clock has not been measured yet; `steward time reselect` does it, and sets nothing.";
    case "rescue":
      return "The agent is in rescue, and does not set the clock until its state is repaired: `steward doctor` says how.";
    case "acquiring":
      return "The time servers are being asked.";
    case "synchronised":
      return "The clock is right.";
    case "host_not_corrected":
      return "The right time is known.";
    case "manual":
      return "The clock is set by hand (time.mode is manual); no time source is asked.";
    case "set_by_hand":
      return "The clock was set by hand.";
    case "conflict":
      return "Another program or person sets this clock.";
    case "daemon_not_read":
      return `${daemon} sets this clock; it has not been asked yet.`;
    case "daemon_synchronised":
      return `${daemon} keeps this clock right.`;
    case "daemon_unsynchronised":
      return `${daemon} runs and does not know the time yet.`;
    case "suspect":
      return `The only time server, ${server}, gave two answers that do not fit together. Nothing was set. Add a second server to time.servers.`;
    default:
      return disagreementSentence({ ...summary, code });
  }
}

type Disagreement = Exclude<
  ClockSummary["code"],
  | "not_measured"
  | "rescue"
  | "acquiring"
  | "synchronised"
  | "host_not_corrected"
  | "manual"
  | "set_by_hand"
  | "conflict"
  | "daemon_not_read"
  | "daemon_synchronised"
  | "daemon_unsynchronised"
  | "suspect"
>;

/** Why the servers' answers did not put the clock right. */
function disagreementSentence(summary: WithoutDetail<ClockSummary> & { code: Disagreement }): string {
  const { agreeing, needed, measured_at } = summary;
  const lag = lagInWords(summary.offset_seconds ?? 0);
  switch (summary.code) {
    case "to_be_confirmed":
      return `The sources say that this clock is ${lag}; two more polls have to confirm it. \`steward time sync\` measures and sets it now.`;
    case "no_servers":
      return "No time servers are set. Name some in time.servers, or set the clock by hand: `steward time set TIME`.";
    case "no_time_source":
      return "None of the time servers gives a usable answer. Check the network and time.servers; `steward time status` says why for each. Without a network: `steward time set TIME`.";
    case "no_majority":
      return "The time servers do not agree with each other, and no group of them is a majority. Remove the wrong one from time.servers, or add others.";
    case "too_few": {
      const found =
        agreeing === 1
          ? "Only one time server gives a usable answer"
          : `Only ${agreeing} of the time servers agree`;
      return `${found}, and ${needed} must agree (time.min_agreeing). Add servers, or check why the others are silent.`;
    }
    case "panic_threshold":
      return `The time servers say that this clock is ${lag}, more than time.panic_threshold allows in service. Check that they are right, then: \`steward time sync --force\`.`;
    case "below_floor":
      return `The time servers say ${measured_at ?? "an impossible date"}, which lies below the floor: this device knows that it is past. If the servers are right, the floor is wrong: \`steward time floor reset\` as root.`;
    case "beyond_ceiling":
      return `The time servers say ${measured_at ?? "an impossible date"}, more than 15 years after this program was built. Check time.servers.`;
  }
}

/** The numbers behind a time that is accepted and not trusted. */
export function votesSentence({
  agreeing,
  configured,
  needed,
  daemon,
}: Pick<ClockSummary, "agreeing" | "configured" | "needed" | "daemon">): string {
  const whose = daemon === null ? "configured servers" : "of its sources";
  const verb = agreeing === 1 ? "agrees" : "agree";
  return `${agreeing} of ${configured} ${whose} ${verb}: the time is accepted, and trusted only when ${needed} agree. Check why the others are silent or differ.`;
}

/** What else sets or changed the clock. */
export function conflictSentence({
  code,
  daemon,
  step_seconds,
  frequency_ppm,
}: WithoutDetail<ClockConflict>): string {
  switch (code) {
    case "other_daemon":
      return `${daemon} sets this clock too.`;
    case "frequency_set":
      return `Another program set the clock's frequency to ${frequency_ppm?.toFixed(3)} ppm.`;
    case "clock_stepped": {
      const seconds = step_seconds ?? 0;
      return `Another program or person set the clock ${seconds > 0 ? "forward" : "back"} by ${Math.abs(seconds).toFixed(3)} s.`;
    }
  }
}

function conflictAdvice(conflict: WithoutDetail<ClockConflict>): string {
  const advice =
    conflict.code === "other_daemon"
      ? "Stop one of the two, or set time.mode to auto."
      : "Find the cause, or choose another time.mode.";
  return `${conflictSentence(conflict)} The agent only measures the clock meanwhile. ${advice}`;
}

/** `isMeasured` false: in mode manual no source is asked. */
export function notSetSentence({ code, offset_seconds }: WithoutDetail<NotSet>, isMeasured: boolean): string {
  const what = isMeasured ? "measured and not set" : "not set";
  const lag =
    offset_seconds === null ? "" : ` It is ${lagInWords(offset_seconds)}; sign-in makes up for that.`;
  return `The host's own clock is ${what}: ${notSetReasons[code]}.${lag}`;
}

const notSetReasons: Readonly<Record<NotSet["code"], string>> = {
  chosen: "time.mode is observe",
  no_daemon: "time.mode is delegate, and no time daemon runs",
  other_daemon: "a time daemon runs, and time.mode is discipline",
  external_change: "another program or person changed it",
  not_asked_to: "the agent was started without --steer-clock, which steward-timekeeper adds",
  no_addon: "clock-steering.node is not beside the program, or does not fit this machine",
  no_capability: "the agent has no CAP_SYS_TIME",
};

/** Why less is known of a daemon than could be, and what mends it. */
export function daemonTroubleSentence(daemon: string, { code, cause }: WithoutDetail<DaemonTrouble>): string {
  const tool = daemon === "chronyd" ? "chronyc" : "timedatectl show-timesync";
  const unknown = `what ${daemon} does is not known.`;
  switch (code) {
    case "command_failed":
      return `${tool} could not be run (${cause}): ${unknown}`;
    case "unknown_format":
      return `${tool} answers in an unknown format: ${unknown}`;
    case "no_answer":
      return daemon === "chronyd"
        ? `chronyd does not answer chronyc (${cause}): ${unknown} Its command port has to be open on 127.0.0.1: remove \`cmdport 0\` from its configuration.`
        : `${tool} does not answer: ${unknown}`;
    case "not_observable":
      return `${daemon} sets this clock; Steward cannot read how well it does.`;
  }
}

/** Why a source is in its state, in a few words; `isStillUsed`: only its last poll failed. */
export function sourceReasonWords({ code, cause }: WithoutDetail<SourceReason>, isStillUsed = false): string {
  const words = sourceReasons[code];
  const named = namesCause(code) && cause !== null ? `${words} (${cause})` : words;
  return isStillUsed ? `${named} the last time` : named;
}

function namesCause(code: SourceReason["code"]): boolean {
  return code === "kiss_denied" || code === "kiss_rate" || code === "bad_packet" || code === "system_error";
}

const sourceReasons: Readonly<Record<SourceReason["code"], string>> = {
  not_asked: "not asked yet",
  not_heard: "no usable answer",
  same_server: "the same server as another one",
  name_not_found: "its name is not found",
  no_address: "its name has no address",
  timeout: "no answer",
  connection_refused: "nothing listens there",
  network_unreachable: "there is no network to it",
  host_unreachable: "there is no route to it",
  system_error: "the request failed",
  bad_packet: "an answer that cannot be used",
  server_unsynchronised: "it does not know the time itself",
  too_uncertain: "it is too uncertain of the time",
  kiss_denied: "it refuses to be asked",
  kiss_rate: "it asks for fewer requests",
  second_opinion_differs: "a second opinion on it gave another time",
  majority_differs: "the majority says another time",
  too_few_agree: "too few others say the same",
  no_majority: "no group of sources is a majority",
  scatters: "it scatters more than the others",
  not_preferred: "the daemon could use it and prefers others",
  not_selected: "the daemon does not select it (yet)",
  varies: "its time varies too much",
  spike: "its last answer was taken for a spike",
};

/** Seconds from which on days say more. */
const severalDays = 2 * 86_400;

/** `2000 s behind`, `0.30 s ahead`, `41.2 days behind`. */
function lagInWords(offsetSeconds: number): string {
  const amount = Math.abs(offsetSeconds);
  const side = offsetSeconds > 0 ? "behind" : "ahead";
  if (amount >= severalDays) return `${(amount / 86_400).toFixed(1)} days ${side}`;
  return `${amount >= 10 ? amount.toFixed(0) : amount.toPrecision(2)} s ${side}`;
}
