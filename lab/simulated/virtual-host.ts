import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { createTrustedTime } from "../../src/accounts/trusted-time.ts";
import type { ClockState } from "../../src/clock/trust/clock-state.ts";
import { type Document, openDocument } from "../../src/store/documents/document.ts";
import type { DocumentKind } from "../../src/store/documents/document-kind.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { unobservedClock } from "./unobserved-clock.ts";

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

export type VirtualHost = ReturnType<typeof virtualHost>;

export const hostStart = new Date("2026-11-20T12:00:00.000Z");
export const hostFloor = new Date("2026-11-01T00:00:00.000Z");

/** A host in virtual time: its two clocks go only where the test takes them. */
export function virtualHost(known: Partial<ClockState> = { trust: "trusted" }) {
  let wall = hostStart.getTime();
  let seconds = 5_000;
  let state: ClockState = { ...unobservedClock, ...known };
  const uptime = () => seconds;
  return {
    uptime,
    time: createTrustedTime({ wall: () => wall, uptime, readClock: () => state, floor: () => hostFloor }),
    /** Both clocks run on, as they do. */
    pass: (more: number): void => {
      wall += more * 1_000;
      seconds += more;
    },
    /** The wall clock is set; monotonic time does not care. */
    step: (more: number): void => {
      wall += more * 1_000;
    },
    /** The agent's knowledge of the wall clock from now on. */
    know: (next: Partial<ClockState>): void => {
      state = { ...unobservedClock, ...next };
    },
  };
}

/** A document on a real file, in a directory of its own where none is given. */
export async function temporaryDocument<T extends object>(
  kind: DocumentKind<T>,
  given?: string,
): Promise<Document<T>> {
  const directory = given ?? (await temporaryDirectory());
  const document = await openDocument(directory, kind, {
    isFirstStart: true,
    reserve: createReserve(directory),
  });
  closing.push(() => document.close());
  return document;
}

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "steward-auth-"));
  closing.push(() => rm(directory, { recursive: true }));
  return directory;
}
