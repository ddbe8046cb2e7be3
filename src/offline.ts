import { randomBytes } from "node:crypto";
import type { Client } from "./cli/context.ts";
import { type AgentConfig, openRooms } from "./compose.ts";
import type { OperationId } from "./contract/operations.ts";
import type { Input, Output } from "./contract/types.ts";
import { takeLock } from "./store/lock.ts";

/** The agent's operations in this process, as local root, under the store's lock; for when the agent is down. */
export async function openOfflineClient(config: AgentConfig): Promise<Client> {
  const rooms = await openRooms(config, await takeLock(config.stateDirectory));
  return {
    call: async <Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> => {
      const answer = await rooms.dispatch.run(id, {
        actor: { kind: "local-root" },
        origin: { address: "local", userAgent: "steward" },
        requestId: `offline-${randomBytes(6).toString("base64url")}`,
        ifMatch: undefined,
        params: input.params ?? {},
        query: toSearch(input.query),
        body: input.body,
      });
      return (answer.text === undefined ? undefined : JSON.parse(answer.text)) as Output<Id>;
    },
    close: () => rooms.close(),
  };
}

function toSearch(query: object | undefined): URLSearchParams {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
}
