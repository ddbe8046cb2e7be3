import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type AttemptAbout, type Attempts, createAttempts } from "../../src/auth/throttle/throttle.ts";
import { type AttemptsState, attemptsKind } from "../../src/auth/throttle/throttle-record.ts";
import { StewardError } from "../../src/contract/errors.ts";
import type { Timers } from "../../src/host/ports.ts";
import { type Document, openDocument } from "../../src/store/documents/document.ts";
import { createReserve } from "../../src/store/files/reserve.ts";

/** No timer waits: what it is for comes in the next turn. */
export const momentaryTimers: Timers = {
  after: (_seconds, call) => {
    const turn = setImmediate(call);
    return () => clearImmediate(turn);
  },
};

const directories = new Set<string>();
const documents: Document<AttemptsState>[] = [];
after(async () => {
  for (const document of documents) await document.close();
  for (const directory of directories) await rm(directory, { recursive: true });
});

export interface Host {
  /** Seconds of CLOCK_BOOTTIME. */
  now: number;
  bootId?: string;
  directory?: string;
  /** Where timers are to be laid down, which otherwise ring in the next turn. */
  timers?: { seconds: number; call: () => void }[];
}

/** Attempts on a real file, in virtual time. A host that is opened again finds its file again. */
export async function attemptsAt(host: Host) {
  host.directory ??= await mkdtemp(join(tmpdir(), "steward-attempts-"));
  const { directory } = host;
  directories.add(directory);
  const document = await openDocument(directory, attemptsKind, {
    isFirstStart: true,
    reserve: createReserve(directory),
  });
  documents.push(document);
  const attempts = createAttempts({
    document,
    bootId: host.bootId ?? "boot-1",
    uptime: () => host.now,
    timers: host.timers ? laidDown(host.timers) : momentaryTimers,
  });
  const stop = async () => {
    attempts.close();
    await document.close();
  };
  return { attempts, document, stop };
}

function laidDown(timers: NonNullable<Host["timers"]>): Timers {
  return {
    after: (seconds, call) => {
      timers.push({ seconds, call });
      return () => undefined;
    },
  };
}

/** Seconds that this try is refused for; 0 when it may be made, and then it is settled. */
export function tried(
  attempts: Attempts,
  name: string | null,
  source: string | null,
  settle: "fail" | "succeed" | "withdraw" = "fail",
  about: AttemptAbout = {},
): number {
  try {
    const attempt = attempts.begin(name, source, about);
    if (attempt.seal?.isLookedAt === false) throw attempt.seal.refusal;
    attempt[settle]();
    return 0;
  } catch (error) {
    return refusedFor(error, "too_many_attempts");
  }
}

/** Seconds that codes are refused for; 0 when they are looked at. */
export function codesRefused(attempts: Attempts, name: string): number {
  try {
    attempts.checkCodes(name)();
    return 0;
  } catch (error) {
    return refusedFor(error, "account_locked");
  }
}

export function fail(attempts: Attempts, name: string | null, source: string, times: number): void {
  for (let count = 0; count < times; count += 1) assert.equal(tried(attempts, name, source), 0);
}

function refusedFor(error: unknown, code: string): number {
  assert.ok(error instanceof StewardError && error.code === code, String(error));
  assert.equal(error.status, 429);
  return error.details.retryAfterSeconds ?? assert.fail("it says when to come back");
}
