import { createHttpClient } from "./client/client.ts";
import type { Places } from "./client/places.ts";
import { listAllTokens } from "./users/token.ts";
import { listAllUsers } from "./users/user-lookup.ts";

/** Milliseconds to wait for a busy agent, while the user waits at the tab key. An absent agent is noticed at once. */
const patienceMilliseconds = 5_000;

/** The names that the running agent lists, each with a description. Throws where no agent answers at once. */
export async function namesOf(
  kind: "users" | "tokens",
  places: Places,
): Promise<readonly (readonly [string, string])[]> {
  const client = createHttpClient(places, { timeoutMilliseconds: patienceMilliseconds });
  if (kind === "users") {
    const { items } = await listAllUsers(client, {});
    return items.map(({ username, role }) => [username, role]);
  }
  const { items } = await listAllTokens(client, undefined);
  return items.map(({ id, name, username }) => [id, `${name} of ${username}`]);
}
