import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { runCommandLine } from "../../src/cli/main.ts";
import { errorCodes } from "../../src/contract/error-codes.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { isJournalStream } from "../../src/host/linux/systemd/native-journal.ts";
import { createLog, type Log } from "../../src/journal/logs/log.ts";
import { createOwnLines } from "../../src/journal/logs/own-lines.ts";
import { type Surroundings, serve } from "../../src/programs/agent/serve.ts";
import { createCommandContext } from "../../src/programs/command-line/context.ts";
import { processUsage } from "../../src/programs/process-usage.ts";
import type { Program } from "../../src/programs/program.ts";
import { capture, type Ended } from "../basics/captured-streams.ts";
import { assertAnswersHeld, holdAnswers } from "./held-answers.ts";
import {
  type AgentOptions,
  agentAt,
  makeHome,
  noServers,
  type RunningAgent,
  testProxy,
} from "./running-agent.ts";

const root = join(import.meta.dirname, "../..");
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

export interface InProcessOptions
  extends Pick<AgentOptions, "stateDirectory" | "environment" | "arguments">,
    Surroundings {
  /** Hashes cost as much as on a device: for tests whose subject they are. */
  hasRealHashes?: boolean;
}

/** As little as argon2id can: all else of a hash stays as it is. */
const littleCost = { memory: 8, passes: 1, parallelism: 1 };

/**
 * The program begins with 077. Here files that are made without a mode are open to everyone, so that a check of a mode sees a
 * mode that is forgotten.
 */
const openUmask = 0o022;

/**
 * Starts the agent from its sources in this process: real files, real sockets, no process. Throws with its log when it ends
 * instead of listening.
 */
export async function startAgentInProcess(options: InProcessOptions = {}): Promise<RunningAgent> {
  const { stateDirectory, environment, arguments: others = [], hasRealHashes, ...surroundings } = options;
  process.umask(openUmask);
  holdAnswers();
  const home = await makeHome(stateDirectory);
  let text = "";
  const write = (line: string): void => {
    text += line;
  };
  let requestStop = (): void => undefined;
  const stopRequested = new Promise<"stop">((resolve) => {
    requestStop = () => resolve("stop");
  });
  const program = sourceProgram(
    { STEWARD_INITIAL_SETTINGS: noServers, ...environment },
    { write, wall: options.time?.wall, hasRealHashes },
  );
  const world = { trustedProxies: [testProxy], ...surroundings };
  const ended = serve([...home.arguments, ...others], program, stopRequested, world).catch(
    (error: unknown) => {
      write(`steward: ${error instanceof Error ? error.message : String(error)}\n`);
      return error instanceof StewardError ? errorCodes[error.code].exit : 1;
    },
  );
  const stop = () => {
    requestStop();
    return ended;
  };
  try {
    const agent = await agentAt(home, { pid: process.pid, log: () => text, ended, stop });
    return { ...agent, dispose: () => agent.dispose().then(assertAnswersHeld) };
  } catch (error) {
    await rm(home.directory, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Stops an agent of this process, by the timers' own time: `seconds` of it pass and no more, so that whatever is waited for
 * longer is seen, on the slowest machine too. Gives its exit code; throws where it has not stopped by then.
 */
export async function stopWithin(
  test: TestContext,
  agent: RunningAgent,
  seconds: number,
): Promise<number | null> {
  let code: number | null | undefined;
  test.mock.timers.enable({ apis: ["setTimeout"] });
  try {
    void agent.stop().then((exit) => {
      code = exit;
    });
    for (let tenths = 0; tenths < seconds * 10 && code === undefined; tenths += 1) {
      await realMilliseconds(50);
      test.mock.timers.tick(100);
    }
    // The rest is work without waiting.
    for (let tries = 0; tries < 1_000 && code === undefined; tries += 1) await realMilliseconds(50);
    if (code === undefined) throw new Error(`it has not stopped after ${seconds} s: ${agent.log()}`);
    return code;
  } finally {
    test.mock.timers.reset();
  }
}

/** Runs turns of the event loop until so many milliseconds are over. A test may have replaced setTimeout. */
async function realMilliseconds(milliseconds: number): Promise<void> {
  const begin = performance.now();
  while (performance.now() - begin < milliseconds) await new Promise((resolve) => setImmediate(resolve));
}

/** The command line in this process, with its exit code and output: over a socket or URL, or on a state directory. */
export async function runSteward(
  args: readonly string[],
  options: { environment?: Record<string, string>; input?: string } = {},
): Promise<Ended> {
  process.umask(openUmask);
  return capture(options.input ?? "", (streams) => {
    const write = (line: string): void => void streams.stderr.write(line);
    // Tests make the state as the user who they run as.
    const terminal = { ...streams, becomeOwner: async () => undefined, asAgent: async () => undefined };
    return runCommandLine(
      args,
      createCommandContext(sourceProgram(options.environment ?? {}, { write }), terminal),
    );
  });
}

interface SourceProgramOptions {
  readonly write: (line: string) => void;
  /** The log's lines get their times from it. */
  readonly wall?: (() => number) | undefined;
  readonly hasRealHashes?: boolean | undefined;
}

/** The program that the sources are; what a build lays beside it is the last build's. */
export function sourceProgram(
  environment: Record<string, string>,
  { write, wall = Date.now, hasRealHashes = false }: SourceProgramOptions,
): Program {
  const ownLines = createOwnLines();
  const toLog: Parameters<typeof createLog>[0] = (line, severity) => {
    write(line);
    ownLines.add(line, severity);
  };
  const log: Log = createLog(toLog, () => new Date(wall()));
  const surroundings = { ...process.env, ...environment };
  return {
    assetsDirectory: dist,
    build: { version, commit: null, date: null },
    nodeVersion: process.version,
    node: process.execPath,
    environment: surroundings,
    userId: () => process.geteuid?.(),
    ...(!hasRealHashes && { passwordCost: littleCost }),
    log,
    ownLines,
    // A test that needs another zone says so itself: this process has other tests.
    processUsage,
    adoptTimeZone: () => undefined,
    isLogInJournal: isJournalStream(environment.JOURNAL_STREAM, 2),
  };
}
