import type { SteeringHindrance, TimeDaemon } from "../../host/ports.ts";
import type { DelegateReport } from "../daemons/delegate.ts";
import type { ObserveReason, Way } from "../loop/way.ts";
import { inWords, reasonOf } from "./refusal.ts";
import type { StatusFacts } from "./time-status.ts";

/** One sentence or two for a person: how the clock is, and what to do if something is to be done. */
export function clockMessage(facts: StatusFacts): string {
  const way = facts.loop.way();
  if (way === null)
    return "The clock has not been measured yet; `steward time reselect` does it, and sets nothing.";
  const conflict = facts.watch.conflict();
  if (conflict && way.kind === "observe") {
    return `Somebody else has a hand on this clock (${conflict}), so it is only watched for a while. Find out who, or choose a mode.`;
  }
  switch (way.kind) {
    case "manual":
      return `The clock is set by hand (time.mode is manual); nobody else is asked.${onPaper(facts)}`;
    case "delegate":
      return delegateMessage(facts, way.daemon);
    case "observe":
    case "discipline":
      return ownMessage(facts, way);
  }
}

function delegateMessage({ loop }: StatusFacts, daemon: TimeDaemon): string {
  const report = loop.report();
  if (!report) return `${daemon} keeps this clock; it has not been asked yet.`;
  const trouble = report.trouble ? ` ${sentence(report.trouble)}` : "";
  if (report.isSynchronised) return `${daemon} keeps this clock right.${delegateVotes(report)}${trouble}`;
  return `${daemon} runs and does not know the time yet.${trouble}`;
}

function ownMessage(facts: StatusFacts, way: Way): string {
  const { loop } = facts;
  const { verdict, synced } = loop.knowledge();
  const { state } = loop.standing();
  const note = way.kind === "observe" ? ` ${observed(facts, way.because)}` : "";
  if (verdict?.kind === "to_be_confirmed") {
    return `The sources say that this clock is ${inWords(verdict.seconds)}; two more polls have to confirm it. \`steward time sync\` does it now.${note}`;
  }
  const { text } = verdict ? reasonOf(verdict) : { text: null };
  if (text !== null) {
    const since =
      synced && state !== "faulty" ? ` Until then the clock runs on by what was known (${state}).` : "";
    return `${text}${since}${note}`;
  }
  if (state === "acquiring") return `The time servers are being asked.${note}`;
  if (state === "manual") return `The clock was set by hand.${note}`;
  // It is not the host's own that is right.
  const isOff = way.kind === "observe" && lackOf(facts) !== "";
  const few =
    synced?.trust === "accepted" ? votes(synced.agreeing, synced.configured, "configured servers") : "";
  return `${isOff ? "The right time is known." : "The clock is right."}${few}${note}`;
}

/** Why a clock that several daemon's sources could speak for is accepted and not trusted; empty: it is not so. */
function delegateVotes({ trust, sources }: DelegateReport): string {
  const agreeing = sources.filter(({ state }) => isSelectable(state)).length;
  return trust === "accepted" ? votes(agreeing, sources.length, "of its sources") : "";
}

function isSelectable(state: DelegateReport["sources"][number]["state"]): boolean {
  return state === "selected" || state === "candidate" || state === "outlier";
}

/** The numbers behind a time that is accepted and not trusted; empty where there is only one server. */
function votes(agreeing: number, configured: number, whose: string): string {
  if (configured < 2) return "";
  const verb = agreeing === 1 ? "agrees" : "agree";
  const needed = Math.floor(configured / 2) + 1;
  return ` ${agreeing} of ${configured} ${whose} ${verb}: the time is accepted, and trusted only when ${needed} agree. Check why the others are silent or differ.`;
}

/** What is not done to the host's clock, and why. */
function observed(facts: StatusFacts, because: ObserveReason): string {
  return `The host's own clock is measured and not set: ${reasons[because]}.${lackOf(facts)}`;
}

/** Whoever sets the clock by hand must know when the host's own stays as it is. */
function onPaper(facts: StatusFacts): string {
  return facts.hindrance
    ? ` The host's own clock is not set: ${reasons[facts.hindrance]}.${lackOf(facts)}`
    : "";
}

function lackOf({ steering }: StatusFacts): string {
  const offset = steering.hostOffsetSeconds();
  return Math.abs(offset) < 0.001 ? "" : ` It is ${inWords(offset)}; sign-in makes up for that.`;
}

const reasons: Readonly<Record<ObserveReason | SteeringHindrance, string>> = {
  chosen: "time.mode is observe",
  no_daemon: "time.mode is delegate, and no time daemon runs",
  other_daemon: "a time daemon runs, and time.mode is discipline",
  conflict: "somebody else set it",
  not_asked_to: "this agent was started without --steer-clock",
  no_addon: "clock-steering.node is not beside the program, or not for this machine",
  no_capability: "the agent has no CAP_SYS_TIME",
};

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
