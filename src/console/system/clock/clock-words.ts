import type { TimeSource, TimeSync } from "../../../contract/types.ts";
import { figure, pageFormat, shortDuration, withUnit } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { deviceAheadSeconds } from "../../client/device-time.ts";
import { withUncertainty } from "../../plot/axis.ts";
import type { State } from "../../ui/badge.tsx";
import { withMark } from "../../ui/time.tsx";

/** `0.4 ms behind`: positive seconds are a host that is behind. */
export function offsetInWords(seconds: number): string {
  return t.clock.lag(seconds, pageFormat);
}

/** A clock compared with this device's, by its offset: `3 s ahead of this device` where that is 3 s behind it. */
export function beyondInWords(seconds: number): string {
  const size = shortDuration(Math.abs(seconds));
  return seconds < 0 ? t.clock.behindUs(size) : t.clock.aheadOfUs(size);
}

/** The same in short: `3 s later`. */
export function laterInWords(seconds: number): string {
  const size = shortDuration(Math.abs(seconds));
  return seconds < 0 ? t.clock.earlier(size) : t.clock.later(size);
}

/** A bound without its last digits: rounded up, and in milliseconds below a second. */
export function boundInWords(seconds: number): string {
  if (seconds >= 1) return shortDuration(seconds);
  const milliseconds = Math.ceil(seconds * 1e4 - 1e-6) / 10;
  return withUnit(milliseconds < 10 ? figure(milliseconds, 1) : figure(Math.ceil(milliseconds)), "ms");
}

/** `0.4 ms behind, ± 1.2 ms`. */
export function offsetWithUncertainty(seconds: number, uncertaintySeconds: number | null): string {
  return withUncertainty(offsetInWords(seconds), uncertaintySeconds);
}

/** `put forward by 3 s`. */
export function stepInWords(seconds: number): string {
  const size = shortDuration(Math.abs(seconds));
  return seconds < 0 ? t.clock.steppedBack(size) : t.clock.steppedForward(size);
}

/** Seconds by which two clocks that are both right may differ here: an answer takes its time. */
export const sameSeconds = 2;

/** This browser's clock compared with the device's, as a sentence. */
export function differenceInWords(): string {
  const ahead = deviceAheadSeconds();
  const size = shortDuration(Math.abs(ahead));
  if (Math.abs(ahead) < sameSeconds) return t.clock.differNot;
  return ahead < 0 ? t.clock.browserLater(size) : t.clock.browserEarlier(size);
}

/** True where there is no server to ask for the time. */
export function isUnpolled(status: TimeSync): boolean {
  return whyUnpolled(status) !== null;
}

/** Says why this device asks no server; null: it asks some. */
export function whyUnpolled({ mode, servers }: TimeSync): string | null {
  if (mode === "manual") return t.clock.whyManual;
  return mode !== "delegate" && servers.configured.length === 0 ? t.clock.noServers : null;
}

const states: Readonly<Record<TimeSource["state"], State>> = {
  selected: "good",
  candidate: "good",
  outlier: "unknown",
  falseticker: "wrong",
  unreachable: "attention",
  kod: "attention",
  suspect: "attention",
  unused: "unknown",
};

export function stateOf({ state, authenticated }: TimeSource): string {
  return withMark(t.clock.sourceStates[state], authenticated);
}

export function badgeOf({ state }: TimeSource): State {
  return states[state];
}
