import { isVoting } from "../../../contract/clock/source-intervals.ts";
import type { TimeSource } from "../../../contract/types.ts";
import { keptBound, shareOf } from "./picture-axis.ts";

/** The sources that agree, as one place. */
export interface Cluster {
  readonly count: number;
  /** Seconds by which their clocks are later than this device, on the average. */
  readonly offset: number;
  /** Seconds between the first and the last of them. */
  readonly spread: number;
  /** Share of the strip from its earlier end; this device is in the middle. */
  readonly place: number;
  /** One of them is chosen: until then they have answered, and no more. */
  readonly isAgreed: boolean;
}

/** A source that says another time than the others. */
export interface Flag {
  readonly source: TimeSource;
  readonly offset: number;
  readonly place: number;
  /** It is beyond the earlier (−1) or the later end (1) of the strip. */
  readonly beyond: -1 | 0 | 1;
}

/** This device in the middle of the sources' time, with as many seconds to either side. */
export interface Strip {
  readonly bound: number;
  readonly cluster: Cluster | null;
  readonly flags: readonly Flag[];
}

/** The places on the strip of the sources; null: none has said a time. `before`: the bound that it has now. */
export function stripOf(sources: readonly TimeSource[], before: number | null): Strip | null {
  const heard = sources.flatMap((source) =>
    source.offset_seconds === null ? [] : [{ source, offset: source.offset_seconds }],
  );
  const voting = heard.filter(({ source }) => isVoting(source));
  const others = heard.filter(({ source }) => isFalse(source));
  if (voting.length + others.length === 0) return null;
  const bound = keptBound(
    before,
    (voting.length > 0 ? voting : others).map(({ offset }) => offset),
    others.map(({ offset }) => offset),
  );
  return {
    bound,
    cluster: voting.length === 0 ? null : clusterOf(voting, bound),
    flags: others.map(({ source, offset }) => ({
      source,
      offset,
      place: shareOf(bound, offset),
      beyond: offset < -bound ? -1 : offset > bound ? 1 : 0,
    })),
  };
}

/** The sources that were asked and say nothing that could be used. */
export function silentOf(sources: readonly TimeSource[]): readonly TimeSource[] {
  return sources.filter(
    (source) =>
      source.state === "unreachable" ||
      source.state === "kod" ||
      (isFalse(source) && source.offset_seconds === null),
  );
}

function isFalse({ state }: TimeSource): boolean {
  return state === "falseticker" || state === "suspect";
}

function clusterOf(
  voting: readonly { readonly source: TimeSource; readonly offset: number }[],
  bound: number,
): Cluster {
  const offsets = voting.map(({ offset }) => offset);
  const offset = offsets.reduce((sum, one) => sum + one, 0) / offsets.length;
  return {
    count: voting.length,
    offset,
    spread: Math.max(...offsets) - Math.min(...offsets),
    place: shareOf(bound, offset),
    isAgreed: voting.some(({ source }) => source.state === "selected"),
  };
}
