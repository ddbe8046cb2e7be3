import { type OperationId, operationOf } from "../../contract/operations.ts";
import type { Input, Output } from "../../contract/types.ts";
import { findLock, StateLocked } from "../../store/files/lock.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { withHiddenInput } from "../../terminal/prompt.ts";
import { AgentAbsent, isAway } from "./agent-connection.ts";
import type { AskAgentUnit } from "./agent-unit.ts";
import { createHttpClient } from "./client.ts";
import type { Calls, Client, CommandContext } from "./context.ts";
import { createPatience, findStartingAgent, type PatienceLimits } from "./patience.ts";
import type { Places } from "./places.ts";
import { askProof, type Proof, withStepUp } from "./step-up.ts";

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

/** For a client of its own: waits while an agent is about to listen, and throws where there is none. */
export function untilStarted(
  connection: Pick<Connection, "places" | "remark" | "patience" | "askUnit">,
): (absence: Error) => Promise<void> {
  const patience = createPatience({ ...connection, limits: connection.patience });
  return async (absence) => {
    const holder = await findStartingAgent(connection.places, connection.askUnit);
    if (holder === undefined) throw absence;
    await patience.again({ holder, failure: absence });
  };
}

/** The agent, or its operations in process when no agent listens at the socket and the command allows it. */
export function createAgentClient(connection: Connection): Client {
  const online = withStepUp(createHttpClient(connection.places), (plain) => askOnTerminal(connection, plain));
  const absence = createAbsence(connection);
  return {
    async call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> {
      const readsOnly = operationOf(id).method === "GET";
      for (;;) {
        const offline = absence.inProcess(readsOnly);
        if (offline !== undefined) return offline.call(id, input);
        try {
          const answer = await online.call(id, input);
          absence.hasAnswered();
          return answer;
        } catch (error) {
          if (!isAway(error)) throw error;
          await absence.mend(error, readsOnly);
        }
      }
    },
    async stream(id, input, onMessage, options) {
      // In process there would never be another message.
      if (absence.inProcess(true) !== undefined) {
        throw new CommandError(1, "--follow needs the running agent. Start it, or leave --follow out.");
      }
      await online.stream(id, input, onMessage, options);
    },
    async close() {
      await online.close();
      await absence.close();
    },
  };
}

/** The work of a command while no agent listens. */
interface Absence {
  /** The operations in this process, once they are open: for one that only reads, or for any. */
  inProcess(readsOnly: boolean): Calls | undefined;
  hasAnswered(): void;
  /** Waits until the call may be tried again: in this process, or at an agent that may listen by now. Else it throws. */
  mend(absence: Error, readsOnly: boolean): Promise<void>;
  close(): Promise<void>;
}

function createAbsence(connection: Connection): Absence {
  const patience = createPatience({ ...connection, limits: connection.patience });
  const untilAgent = untilStarted(connection);
  const opening = createOpening(connection);
  let reader: Calls | undefined;
  let writer: Calls | undefined;
  let hasAnswered = false;
  let mending: Promise<void> | undefined;
  const mend = async (absence: Error, readsOnly: boolean): Promise<void> => {
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
    const waiting = patience.again({ holder: opened.holder, failure: opened });
    await (readsOnly ? waiting.catch(readAnyway) : waiting);
  };
  const readAnyway = async (failure: unknown): Promise<void> => {
    if (failure instanceof Error) await connection.remark(failure.message);
    reader = await opening(true);
  };
  const inProcess = (readsOnly: boolean) => writer ?? (readsOnly ? reader : undefined);
  return {
    inProcess,
    hasAnswered: () => {
      hasAnswered = true;
    },
    mend: async (absence, readsOnly) => {
      if (inProcess(readsOnly) !== undefined) return;
      mending ??= mend(absence, readsOnly).finally(() => {
        mending = undefined;
      });
      await mending;
    },
    close: async () => {
      await reader?.close();
      await writer?.close();
    },
  };
}

/** Asks the owner of the token for their password. Without a terminal the agent's advice is printed. */
async function askOnTerminal({ context, remark }: Connection, plain: Client): Promise<Proof | undefined> {
  if (!context.stdin.isTTY) return undefined;
  const user = await plain.call("getMe", {});
  await remark("Confirm your password to go on.");
  return withHiddenInput(context, (ask) => askProof(ask, user));
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
