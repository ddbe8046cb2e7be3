import type { OperationId } from "../contract/operations.ts";
import type { Input, Output } from "../contract/types.ts";
import { findLock, StateLocked } from "../store/lock.ts";
import { AgentAbsent } from "./agent-connection.ts";
import { createHttpClient } from "./client.ts";
import { type Calls, type Client, type CommandContext, CommandError } from "./context.ts";
import { createPatience, findStartingAgent, type PatienceLimits } from "./patience.ts";
import type { Places } from "./places.ts";
import { withHiddenInput } from "./prompt.ts";
import { askProof, type Proof, withStepUp } from "./step-up.ts";

export interface Connection {
  readonly places: Places;
  readonly context: CommandContext;
  /** Whether an absent agent is replaced by the same operations in process. */
  readonly worksOffline: boolean;
  remark(text: string): Promise<void>;
  readonly patience?: PatienceLimits;
}

/** For a client of its own: waits while an agent is about to listen, and throws where there is none. */
export function untilStarted(
  connection: Pick<Connection, "places" | "remark" | "patience">,
): (absence: AgentAbsent) => Promise<void> {
  const patience = createPatience({ ...connection, limits: connection.patience });
  return async (absence) => {
    const holder = await findStartingAgent(connection.places);
    if (holder === undefined) throw absence;
    await patience.again({ holder, failure: absence });
  };
}

/** The agent, or its operations in process when nobody listens at the socket and the command allows it. */
export function createAgentClient(connection: Connection): Client {
  const online = withStepUp(createHttpClient(connection.places), (plain) => askOnTerminal(connection, plain));
  const absence = createAbsence(connection);
  return {
    async call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> {
      for (;;) {
        const offline = absence.inProcess();
        if (offline !== undefined) return offline.call(id, input);
        try {
          const answer = await online.call(id, input);
          absence.hasAnswered();
          return answer;
        } catch (error) {
          if (!(error instanceof AgentAbsent)) throw error;
          await absence.mend(error);
        }
      }
    },
    async stream(id, input, onMessage, options) {
      // In process there is nobody else, so nothing would ever come.
      if (absence.inProcess() !== undefined) {
        throw new CommandError(1, "Following needs the running agent. Start it, or leave --follow out.");
      }
      await online.stream(id, input, onMessage, options);
    },
    async close() {
      await online.close();
      await absence.inProcess()?.close();
    },
  };
}

/** What is done while no agent listens. */
interface Absence {
  /** The operations in this process, once they are open. */
  inProcess(): Calls | undefined;
  hasAnswered(): void;
  /** Settles when there is something to call: this process, or an agent that may have begun to listen. Else it throws. */
  mend(absence: AgentAbsent): Promise<void>;
}

function createAbsence(connection: Connection): Absence {
  const patience = createPatience({ ...connection, limits: connection.patience });
  const untilAgent = untilStarted(connection);
  let offline: Calls | undefined;
  let hasAnswered = false;
  let mending: Promise<void> | undefined;
  const mend = async (absence: AgentAbsent): Promise<void> => {
    // One that has answered is being restarted: a command that took its lock now would keep it from coming back.
    if (!connection.worksOffline || hasAnswered) return untilAgent(absence);
    // Looked at first: an agent that is about to listen has the processor to itself while this waits.
    const lock = await findLock(connection.places.stateDirectory);
    const opened = lock ?? (await goOffline(connection).catch(unlessLocked));
    if (!(opened instanceof StateLocked)) offline = opened;
    else await patience.again({ holder: opened.holder, failure: opened });
  };
  return {
    inProcess: () => offline,
    hasAnswered: () => {
      hasAnswered = true;
    },
    mend: async (absence) => {
      if (offline !== undefined) return;
      mending ??= mend(absence).finally(() => {
        mending = undefined;
      });
      await mending;
    },
  };
}

/** The owner of the token gives his password again; where nobody sits at a terminal the agent's advice stands. */
async function askOnTerminal({ context, remark }: Connection, plain: Client): Promise<Proof | undefined> {
  if (!context.stdin.isTTY) return undefined;
  const user = await plain.call("getMe", {});
  await remark("This takes the password again.");
  return withHiddenInput(context, (ask) => askProof(ask, user));
}

/** Another command was quicker: it is waited for like one that was there before. */
function unlessLocked(error: unknown): StateLocked {
  if (error instanceof StateLocked) return error;
  throw error;
}

async function goOffline({ places, context, remark }: Connection): Promise<Calls> {
  const opened = await context.openOffline(places.stateDirectory);
  await remark(`The agent is not running; working on its state in ${places.stateDirectory} directly.`);
  return opened;
}
