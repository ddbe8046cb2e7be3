import { findLock, StateLocked } from "../../store/files/lock.ts";
import { AgentAbsent } from "./agent-connection.ts";
import type { AskAgentUnit } from "./agent-unit.ts";
import type { Calls, CommandContext } from "./context.ts";
import { createPatience, findStartingAgent, type PatienceLimits } from "./patience.ts";
import type { Places } from "./places.ts";

export interface Connection {
  readonly places: Places;
  readonly context: CommandContext;
  /** True if the command can do the same operations in its own process while no agent runs. */
  readonly worksOffline: boolean;
  remark(text: string): Promise<void>;
  readonly patience?: PatienceLimits;
  /** Another than this host's systemd. */
  readonly askUnit?: AskAgentUnit;
}

/** Waits while an agent is about to listen, and throws where there is none. */
export type UntilStarted = (absence: Error) => Promise<void>;

/** The facts by which a command waits for an agent. */
export type Waiting = Pick<Connection, "places" | "remark" | "patience" | "askUnit">;

export function createUntilStarted(connection: Waiting): UntilStarted {
  const waitAgain = createPatience(connection);
  return async (absence) => {
    const holder = await findStartingAgent(connection.places, connection.askUnit);
    if (holder === undefined) throw absence;
    await waitAgain(holder, absence);
  };
}

/** The work of a command while no agent listens. */
export type Absence = ReturnType<typeof createAbsence>;

interface AbsentCall {
  readonly readsOnly: boolean;
  /** An agent has answered this command before. */
  readonly hasAnswered: boolean;
}

export function createAbsence(connection: Connection) {
  const waitAgain = createPatience(connection);
  const untilAgent = createUntilStarted(connection);
  const opening = createOpening(connection);
  let reader: Calls | undefined;
  let writer: Calls | undefined;
  let mending: Promise<void> | undefined;
  const mend = async (absence: Error, { readsOnly, hasAnswered }: AbsentCall): Promise<void> => {
    // An agent that has answered before, or is stopping, is being restarted: a command must not take its lock now.
    const mayReplace = connection.worksOffline && !hasAnswered && absence instanceof AgentAbsent;
    if (!mayReplace) return untilAgent(absence);
    // Checked first, so that an agent that is starting has the processor while this command waits.
    const lock = await findLock(connection.places.stateDirectory);
    // Reading needs no lock. The command waits for the agent all the same, which knows more than the state on the disk.
    if (readsOnly && lock?.holder.role !== "agent") {
      reader = await opening(true);
      return;
    }
    const opened = lock ?? (await opening(false).catch(unlessLocked));
    if (!(opened instanceof StateLocked)) {
      writer = opened;
      return;
    }
    const waiting = waitAgain(opened.holder, opened);
    await (readsOnly ? waiting.catch(readAnyway) : waiting);
  };
  const readAnyway = async (failure: unknown): Promise<void> => {
    if (failure instanceof Error) await connection.remark(failure.message);
    reader = await opening(true);
  };
  const inProcess = (readsOnly: boolean) => writer ?? (readsOnly ? reader : undefined);
  return {
    /** The operations in this process, once they are open: for one that only reads, or for any. */
    inProcess,
    /** Waits until the call may be tried again: in this process, or at an agent that may listen by now. Else it throws. */
    mend: async (absence: Error, call: AbsentCall): Promise<void> => {
      if (inProcess(call.readsOnly) !== undefined) return;
      mending ??= mend(absence, call).finally(() => {
        mending = undefined;
      });
      await mending;
    },
    close: async (): Promise<void> => {
      await reader?.close();
      await writer?.close();
    },
  };
}

/** Another command has taken the lock first: this one waits for it. */
function unlessLocked(error: unknown): StateLocked {
  if (error instanceof StateLocked) return error;
  throw error;
}

/** Opens the operations in this process, and remarks on it the first time. */
function createOpening({ places, context, remark }: Connection): (readsOnly: boolean) => Promise<Calls> {
  let isSaid = false;
  return async (readsOnly) => {
    const opened = await context.openOffline(places.stateDirectory, { readsOnly, remark });
    const what = readsOnly ? "reading" : "working on";
    if (!isSaid)
      await remark(`The agent is not running; ${what} its state in ${places.stateDirectory} directly.`);
    isSaid = true;
    return opened;
  };
}
