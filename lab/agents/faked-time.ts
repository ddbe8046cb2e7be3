import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakingTime } from "../basics/faketime.ts";
import { testProgram } from "../basics/test-program.ts";
import { standingTime } from "../simulated/test-time.ts";
import { toldClock } from "../simulated/told-clock.ts";
import { type CheckedAgent, startCheckedAgent, startCheckedProcess } from "./checked-agent.ts";

/** An agent whose wall clock the test moves with libfaketime while its monotonic clock runs on. */
export interface TimedAgent extends CheckedAgent {
  /** Steps the agent's wall clock from where it is by so many seconds; positive: forward. */
  stepClock: (seconds: number) => void;
  nowSeconds: () => number;
  knowClock: (state: object) => void;
}

interface TimedAgentOptions {
  /** Seconds that the agent's wall clock is ahead of this machine's. */
  offsetSeconds?: number;
  clock?: object;
  /** Time settings to begin with; then it knows of its clock what it really measures. */
  time?: object;
  stateDirectory?: string;
}

/**
 * The wall clock of a process that is started with this environment: `move` sets the seconds that it is ahead of this
 * machine's, or the date and time at which it stops. libfaketime reads its file at each call only without a cache; monotonic
 * time must stay the real one.
 */
export const fakeClock = (timeFile: string) => ({
  environment: { ...fakingTime(), FAKETIME_NO_CACHE: "1", FAKETIME_TIMESTAMP_FILE: timeFile },
  move: (to: number | string): void =>
    replaceFile(timeFile, typeof to === "string" ? to : to.toFixed(3).replace(/^(?!-)/, "+")),
});

/** An agent that begins with such a clock. */
export async function startTimedAgent(options: TimedAgentOptions = {}): Promise<TimedAgent> {
  const directory = mkdtempSync(join(tmpdir(), "steward-clock-"));
  const clock = fakeClock(join(directory, "time"));
  const clockFile = join(directory, "clock.json");
  const settingsFile = join(directory, "settings.json");
  writeFileSync(settingsFile, JSON.stringify({ time: { mode: "observe", servers: [], ...options.time } }));
  let offsetSeconds = options.offsetSeconds ?? 0;
  const setClock = (): void => clock.move(offsetSeconds);
  const knowClock = (state: object): void => replaceFile(clockFile, JSON.stringify(state));
  setClock();
  knowClock(options.clock ?? {});
  const agent = await startCheckedProcess({
    program: testProgram(join(import.meta.dirname, "agent-process.ts")),
    ...(options.stateDirectory !== undefined && { stateDirectory: options.stateDirectory }),
    environment: {
      ...clock.environment,
      STEWARD_TEST_CLOCK: options.time ? "" : clockFile,
      STEWARD_INITIAL_SETTINGS: settingsFile,
    },
  });
  return {
    ...agent,
    knowClock,
    stepClock: (seconds) => {
      offsetSeconds += seconds;
      setClock();
    },
    nowSeconds: () => Date.now() / 1_000 + offsetSeconds,
    dispose: async () => {
      await agent.dispose();
      rmSync(directory, { recursive: true });
    },
  };
}

/** In one piece: the agent reads it at any time. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, `${text}\n`);
  renameSync(`${path}.new`, path);
}

/** The same in this process, which costs less. All of it goes by the moved clock, which stops where it is moved to. */
export async function startTimedAgentInProcess(
  options: Pick<TimedAgentOptions, "clock" | "stateDirectory"> = {},
): Promise<TimedAgent> {
  const time = standingTime();
  let told = options.clock ?? {};
  const agent = await startCheckedAgent({
    ...(options.stateDirectory !== undefined && { stateDirectory: options.stateDirectory }),
    time,
    openClock: toldClock(
      () => told,
      () => undefined,
    ),
  });
  return {
    ...agent,
    knowClock: (state) => {
      told = state;
    },
    stepClock: time.stepWall,
    nowSeconds: time.nowSeconds,
  };
}
