import { setTimeout as delay } from "node:timers/promises";
import { findLock, type LockHolder, StateLocked } from "../../store/files/lock.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Output } from "../../terminal/output.ts";
import { type AskAgentUnit, askAgentUnit, doesNotComeUp, startFailure } from "./agent-unit.ts";
import type { Places } from "./places.ts";

/** All in milliseconds. */
export interface PatienceLimits {
  /** For an agent that has locked its state and does not listen yet: a slow device takes some seconds to start. */
  readonly agent: number;
  /** For another command that works on the state: each takes about a second. */
  readonly command: number;
  /** Before the command says what it waits for. */
  readonly silence: number;
  /** Between two tries. */
  readonly pause: number;
}

const usualLimits: PatienceLimits = { agent: 15_000, command: 10_000, silence: 1_000, pause: 100 };

interface Waiter {
  readonly places: Pick<Places, "socketPath" | "stateDirectory">;
  readonly remark: Output["remark"];
  readonly patience?: PatienceLimits | undefined;
}

/** Waits between tries, and says once for what. Resolves when to try again; throws the failure when the time is over. */
export function createPatience({ places, remark, patience: limits = usualLimits }: Waiter) {
  let began: number | undefined;
  let isSaid = false;
  return async (holder: LockHolder, failure: Error): Promise<void> => {
    began ??= performance.now();
    const waited = performance.now() - began;
    const isCommand = holder.role === "command";
    const limit = isCommand ? limits.command : limits.agent;
    if (waited >= limit) throw isCommand ? failure : notListening(places, holder, limit, failure);
    if (!isSaid && waited >= limits.silence) {
      isSaid = true;
      await remark(waitingFor(places, holder));
    }
    await delay(limits.pause);
  };
}

/** Does `work` as soon as no other command has locked the state. It does not wait for an agent. */
export async function afterOtherCommands<T>(waiter: Waiter, work: () => Promise<T>): Promise<T> {
  const waitAgain = createPatience(waiter);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StateLocked) || error.holder.role === "agent") throw error;
      await waitAgain(error.holder, error);
    }
  }
}

/** The agent that is starting; undefined: none. Throws CommandError(8) at once where its unit does not come up. */
export async function findStartingAgent(
  places: Pick<Places, "socketPath" | "stateDirectory">,
  askUnit: AskAgentUnit = askAgentUnit,
): Promise<LockHolder | undefined> {
  const unit = await askUnit(places);
  if (unit !== null && doesNotComeUp(unit)) throw await startFailure(unit);
  const holder = (await findLock(places.stateDirectory))?.holder;
  if (holder !== undefined && holder.role !== "command") return holder;
  const state = unit?.properties.ActiveState ?? "";
  return /^(activating|deactivating|reloading)$/.test(state) ? { pid: null, role: "agent" } : undefined;
}

function waitingFor({ stateDirectory }: Pick<Places, "stateDirectory">, { pid, role }: LockHolder): string {
  const who = pid === null ? "" : ` (process ${pid})`;
  if (role === "agent") return `Waiting for the agent to start${who}…`;
  return `Waiting for another program, which has locked the state in ${stateDirectory}${who}…`;
}

function notListening(
  { socketPath, stateDirectory }: Pick<Places, "socketPath" | "stateDirectory">,
  { pid, role }: LockHolder,
  waitedMilliseconds: number,
  cause: Error,
): CommandError {
  const who = pid === null ? "another program" : `process ${pid}`;
  // Only of a start by systemd the role is known, and not the process.
  const isStart = pid === null && role === "agent";
  const what = isStart ? "The agent is being started" : `The state in ${stateDirectory} is in use by ${who}`;
  const failure = new CommandError(
    8,
    `${what}, and no agent has begun to listen at ${socketPath} within ${waitedMilliseconds / 1_000} seconds. \`steward doctor\` says why; where the agent listens elsewhere, name its socket with --socket.`,
  );
  failure.cause = cause;
  return failure;
}
