import type { Action, Measurement } from "../discipline/discipline.ts";
import type { Verdict } from "./verdict.ts";

/** The purpose of a measurement round. Read when its measuring is done, so that later requests can join it. */
export interface RoundOptions {
  /** Exchanges with each server. */
  readonly burst: number;
  isStepAllowed: boolean;
  isRequested: boolean;
  isForced: boolean;
  /** The agent stops: nothing follows from the round. */
  isAbandoned?: boolean;
}

/** A further request joins a running round; possible until its measuring is done. */
export function joinRound(
  options: RoundOptions,
  { isStepAllowed, isForced }: Pick<RoundOptions, "isStepAllowed" | "isForced">,
): void {
  options.isRequested ||= isStepAllowed;
  options.isStepAllowed ||= isStepAllowed;
  options.isForced ||= isForced;
}

export interface Round {
  readonly verdict: Verdict;
  readonly isAnswered: boolean;
  /** The measurement that the sources agreed on; null: they did not. */
  readonly measurement: Measurement | null;
  /** The correction of the steered clock. */
  readonly action: Action | null;
  /** The lag of the host's own clock before that (s). */
  readonly hostOffsetSeconds: number | null;
  /** The second opinion on the leading source, where it gives another time. */
  readonly contradiction: { readonly source: string; readonly offsetSeconds: number } | null;
}

export const noMeasurement = {
  isAnswered: false,
  measurement: null,
  action: null,
  hostOffsetSeconds: null,
  contradiction: null,
} as const;

/** The clock was changed from outside while it was measured. */
export const disturbedRound: Round = { ...noMeasurement, verdict: { kind: "disturbed" } };

export const roundWithoutServers: Round = { ...noMeasurement, verdict: { kind: "no_servers" } };
