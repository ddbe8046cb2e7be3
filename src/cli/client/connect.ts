import { type OperationId, operationOf } from "../../contract/operations.ts";
import type { Input, Output } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Absence, Connection, UntilStarted, Waiting } from "./absence.ts";
import { isAway } from "./agent-connection.ts";
import { createHttpClient } from "./client.ts";
import type { Client } from "./context.ts";
import { askProof, type Proof, withStepUp } from "./step-up.ts";

/** Most commands find an agent, and need nothing of the work without one. */
const loadAbsence = () => import("./absence.ts");

/** For a client of its own: waits while an agent is about to listen, and throws where there is none. */
export function untilStarted(waiting: Waiting): UntilStarted {
  let wait: UntilStarted | undefined;
  return async (absence) => {
    const { createUntilStarted } = await loadAbsence();
    wait ??= createUntilStarted(waiting);
    await wait(absence);
  };
}

/** The agent, or its operations in process when no agent listens at the socket and the command allows it. */
export function createAgentClient(connection: Connection): Client {
  const online = withStepUp(createHttpClient(connection.places), (plain) => askOnTerminal(connection, plain));
  let absence: Absence | undefined;
  let hasAnswered = false;
  const mend = async (failure: Error, readsOnly: boolean): Promise<void> => {
    const { createAbsence } = await loadAbsence();
    absence ??= createAbsence(connection);
    await absence.mend(failure, { readsOnly, hasAnswered });
  };
  return {
    async call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> {
      const readsOnly = operationOf(id).method === "GET";
      for (;;) {
        const offline = absence?.inProcess(readsOnly);
        if (offline !== undefined) return offline.call(id, input);
        try {
          const answer = await online.call(id, input);
          hasAnswered = true;
          return answer;
        } catch (error) {
          if (!isAway(error)) throw error;
          await mend(error, readsOnly);
        }
      }
    },
    async stream(id, input, onMessage, options) {
      // In process there would never be another message.
      if (absence?.inProcess(true) !== undefined) {
        throw new CommandError(1, "--follow needs the running agent. Start it, or leave --follow out.");
      }
      await online.stream(id, input, onMessage, options);
    },
    async close() {
      await online.close();
      await absence?.close();
    },
  };
}

/** Asks the owner of the token for their password. Without a terminal the agent's advice is printed. */
async function askOnTerminal({ context, remark }: Connection, plain: Client): Promise<Proof | undefined> {
  if (!context.stdin.isTTY) return undefined;
  const user = await plain.call("getMe", {});
  await remark("Confirm your password to continue.");
  const { withHiddenInput } = await import("../../terminal/prompt.ts");
  return withHiddenInput(context, (ask) => askProof(ask, user));
}
