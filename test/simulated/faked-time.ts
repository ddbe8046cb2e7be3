import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CheckedAgent, startCheckedAgent } from "../http/checked-agent.ts";

/** An agent whose wall clock the test moves with libfaketime while its monotonic clock runs on. */
export interface TimedAgent extends CheckedAgent {
  /** Sets how far the agent's wall clock is from this machine's, such as `+90d`, `-1h`, `+3m`. */
  moveClock: (offset: string) => void;
  /** What the agent knows of its clock. */
  knowClock: (state: object) => void;
}

export interface TimedAgentOptions {
  offset?: string;
  clock?: object;
  stateDirectory?: string;
}

/** libfaketime reads its file at each call only without a cache; monotonic time must stay the real one. */
export async function startTimedAgent(options: TimedAgentOptions = {}): Promise<TimedAgent> {
  const directory = mkdtempSync(join(tmpdir(), "steward-clock-"));
  const timeFile = join(directory, "time");
  const clockFile = join(directory, "clock.json");
  const moveClock = (offset: string): void => writeFileSync(timeFile, `${offset}\n`);
  const knowClock = (state: object): void => writeFileSync(clockFile, JSON.stringify(state));
  moveClock(options.offset ?? "+0");
  knowClock(options.clock ?? {});
  const agent = await startCheckedAgent({
    program: ["--import", "tsx", join(import.meta.dirname, "agent.ts")],
    ...(options.stateDirectory !== undefined && { stateDirectory: options.stateDirectory }),
    environment: {
      LD_PRELOAD: libraryPath(),
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_NO_CACHE: "1",
      FAKETIME_TIMESTAMP_FILE: timeFile,
      STEWARD_TEST_CLOCK: clockFile,
    },
  });
  return { ...agent, moveClock, knowClock };
}

function libraryPath(): string {
  const found = readdirSync("/usr/lib")
    .map((name) => join("/usr/lib", name, "faketime/libfaketime.so.1"))
    .find((path) => {
      try {
        return readdirSync(join(path, "..")).includes("libfaketime.so.1");
      } catch {
        return false;
      }
    });
  assert.ok(found, "libfaketime is not installed (Debian: faketime)");
  return found;
}
