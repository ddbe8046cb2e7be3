/**
 * The agent of the sources in a process whose wall clock libfaketime moves: all of it is real but its knowledge of the
 * clock, which is read from a JSON file that the test writes (STEWARD_TEST_CLOCK); without one that is the real thing too.
 */
import { readFileSync } from "node:fs";
import { serve } from "../../src/programs/agent/serve.ts";
import { toldClock } from "../simulated/told-clock.ts";
import { sourceProgram } from "./agent-in-process.ts";
import { testProxy } from "./running-agent.ts";

const clockFile = process.env.STEWARD_TEST_CLOCK ?? "";
const program: ReturnType<typeof sourceProgram> = {
  ...sourceProgram({}, { write: (line) => process.stderr.write(line) }),
  build: { version: "0.0.0-test", commit: null, date: "2026-11-01T00:00:00.000Z" },
};
const openClock = toldClock(
  () => JSON.parse(readFileSync(clockFile, "utf8")),
  () => program.log("notice", "a background sync was asked for"),
);
const stopRequested = new Promise<"stop">((resolve) => process.once("SIGTERM", () => resolve("stop")));
const [, , , ...words] = process.argv;
const surroundings = { trustedProxies: [testProxy], ...(clockFile !== "" && { openClock }) };
process.exit(await serve(words, program, stopRequested, surroundings));
