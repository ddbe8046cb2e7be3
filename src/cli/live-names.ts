import { createHttpClient } from "./client.ts";
import type { LiveNames } from "./command.ts";
import type { Client } from "./context.ts";
import type { Places } from "./places.ts";
import { listAllTokens } from "./token.ts";
import { listAllUsers } from "./user-lookup.ts";

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
