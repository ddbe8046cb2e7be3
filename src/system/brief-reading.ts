import type { Uptime } from "../host/ports.ts";

/** Seconds. To a person and to a program that scrapes, a quarter of a second is the same moment. */
const freshSeconds = 0.25;

/** A reading of the kernel's figures for all callers of a quarter of a second: some cost more than the answer. */
export function createBriefReading<Reading>(read: () => Reading, uptime: Uptime): () => Reading {
  let last: { readonly at: number; readonly reading: Reading } | undefined;
  return () => {
    const now = uptime();
    if (last === undefined || now - last.at >= freshSeconds) last = { at: now, reading: read() };
    return last.reading;
  };
}
