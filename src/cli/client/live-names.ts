import type { LiveNames } from "../framework/command.ts";
import { listAllTokens } from "../users/token.ts";
import { listAllUsers } from "../users/user-lookup.ts";
import { createHttpClient } from "./client.ts";
import type { Client } from "./context.ts";
import type { Places } from "./places.ts";

/** Milliseconds, for an agent that is busy: where none listens, that is known at once. A person at the tab key waits. */
const patienceMilliseconds = 5_000;

/** Names, each with what it is, that the running agent knows at this moment. Throws where none answers at once. */
export async function namesOf(
  kind: LiveNames,
  places: Places,
): Promise<readonly (readonly [string, string])[]> {
  const client: Client = createHttpClient(places, { timeoutMilliseconds: patienceMilliseconds });
  if (kind === "users") {
    const { items } = await listAllUsers(client, {});
    return items.map(({ username, role }) => [username, role]);
  }
  const { items } = await listAllTokens(client, undefined);
  return items.map(({ id, name, username }) => [id, `${name} of ${username}`]);
}
