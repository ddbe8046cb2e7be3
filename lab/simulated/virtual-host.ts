import { createTrustedTime } from "../../src/accounts/trusted-time.ts";
import type { ClockState } from "../../src/clock/trust/clock-state.ts";
import { type Document, openDocument } from "../../src/store/documents/document.ts";
import type { DocumentKind } from "../../src/store/documents/document-kind.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { atEnd, temporaryDirectory as directoryUntil, endOfSuite } from "../basics/ending.ts";
import { unobservedClock } from "./unobserved-clock.ts";

const ending = endOfSuite();

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
  const reserve = createReserve(directory);
  const document = await openDocument(directory, kind, { isFirstStart: true, reserve });
  atEnd(ending, () => document.close());
  return document;
}

export const temporaryDirectory = (): Promise<string> => directoryUntil(ending);
