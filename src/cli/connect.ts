import type { OperationId } from "../contract/operations.ts";
import type { Input, Output } from "../contract/types.ts";
import { AgentAbsent } from "./agent-connection.ts";
import { createHttpClient } from "./client.ts";
import { type Calls, type Client, type CommandContext, CommandError } from "./context.ts";
import type { Places } from "./places.ts";
import { withHiddenInput } from "./prompt.ts";
import { askProof, type Proof, withStepUp } from "./step-up.ts";

export interface Connection {
  readonly places: Places;
  readonly context: CommandContext;
  /** Whether an absent agent is replaced by the same operations in process. */
  readonly worksOffline: boolean;
  remark(text: string): Promise<void>;
}

/** The agent, or its operations in process when nobody listens at the socket and the command allows it. */
export function createAgentClient(connection: Connection): Client {
  const online = withStepUp(createHttpClient(connection.places), (plain) => askOnTerminal(connection, plain));
  let offline: Promise<Calls> | undefined;
  let hasAnswered = false;
  return {
    async call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> {
      if (offline !== undefined) return (await offline).call(id, input);
      try {
        const answer = await online.call(id, input);
        hasAnswered = true;
        return answer;
      } catch (error) {
        // One that has answered is being restarted: whoever took its lock now would keep it from coming back.
        if (!(error instanceof AgentAbsent) || !connection.worksOffline || hasAnswered) throw error;
        offline = goOffline(connection);
        return (await offline).call(id, input);
      }
    },
    async stream(id, input, onMessage, options) {
      // In process there is nobody else, so nothing would ever come.
      if (offline !== undefined) {
        throw new CommandError(1, "Following needs the running agent. Start it, or leave --follow out.");
      }
      await online.stream(id, input, onMessage, options);
    },
    async close() {
      await online.close();
      // A failure to open has already ended the command.
      const opened = await offline?.catch(() => undefined);
      await opened?.close();
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

async function goOffline({ places, context, remark }: Connection): Promise<Calls> {
  await remark(`The agent is not running; working on its state in ${places.stateDirectory} directly.`);
  return context.openOffline(places.stateDirectory);
}
