import assert from "node:assert/strict";
import { type AttemptContext, createThrottle, type Throttle } from "../../src/accounts/throttle/throttle.ts";
import { throttleRecordKind } from "../../src/accounts/throttle/throttle-record.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import type { Timers } from "../../src/host/ports.ts";
import { openDocument } from "../../src/store/documents/document.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { atEnd, endOfSuite, temporaryDirectory } from "../basics/ending.ts";

/** No timer waits: what it is for comes in the next turn. */
const momentaryTimers: Timers = {
  after: (_seconds, call) => {
    const turn = setImmediate(call);
    return () => clearImmediate(turn);
  },
};

/**
 * A throttle that writes by this machine's timers, which a test may mock, and that answers by `answers`. Were its writes
 * momentary, one would follow the other for as long as a delay runs.
 */
export function createTestThrottle(
  options: Omit<Parameters<typeof createThrottle>[0], "timers">,
  answers: Timers = momentaryTimers,
): Throttle {
  const writes = createTimers();
  let isAnswer = false;
  const timers: Timers = { after: (seconds, call) => (isAnswer ? answers : writes).after(seconds, call) };
  const throttle = createThrottle({ ...options, timers });
  const untilAnswer = () => {
    isAnswer = true;
    const answer = throttle.untilAnswer();
    isAnswer = false;
    return answer;
  };
  return { ...throttle, untilAnswer };
}

const ending = endOfSuite();

export interface Host {
  /** Seconds of CLOCK_BOOTTIME. */
  now: number;
  bootId?: string;
  directory?: string;
  /** Timers are laid down here. Without it they ring in the next turn. */
  timers?: { seconds: number; call: () => void }[];
}

/** Throttle on a real file, in virtual time. A host that is opened again finds its file again. */
export async function throttleAt(host: Host) {
  host.directory ??= await temporaryDirectory(ending);
  const reserve = createReserve(host.directory);
  const document = await openDocument(host.directory, throttleRecordKind, { isFirstStart: true, reserve });
  const options = { document, bootId: host.bootId ?? "boot-1", uptime: () => host.now };
  const after: Timers["after"] = (seconds, call) => {
    host.timers?.push({ seconds, call });
    return () => undefined;
  };
  const throttle = createTestThrottle(options, host.timers && { after });
  const stop = async () => {
    throttle.close();
    await document.close();
  };
  atEnd(ending, stop);
  return { throttle, document, stop };
}

/** Seconds that this try is refused for; 0 when it may be made, and then it is settled. */
export function tried(
  throttle: Throttle,
  name: string | null,
  client: string | null,
  settle: "fail" | "succeed" | "withdraw" = "fail",
  about: AttemptContext = {},
): number {
  try {
    const attempt = throttle.begin(name, client, about);
    if (attempt.seal?.isLookedAt === false) throw attempt.seal.refusal;
    attempt[settle]();
    return 0;
  } catch (error) {
    return refusedFor(error, "too_many_attempts");
  }
}

/** Seconds that codes are refused for; 0 when they are looked at. */
export function codesRefused(throttle: Throttle, name: string): number {
  try {
    throttle.checkCodes(name)();
    return 0;
  } catch (error) {
    return refusedFor(error, "account_locked");
  }
}

export function fail(throttle: Throttle, name: string | null, client: string, times: number): void {
  for (let count = 0; count < times; count += 1) assert.equal(tried(throttle, name, client), 0);
}

function refusedFor(error: unknown, code: string): number {
  assert.ok(error instanceof StewardError && error.code === code, String(error));
  assert.equal(error.status, 429);
  return error.details.retryAfterSeconds ?? assert.fail("it says when to come back");
}
