import { startAgentInProcess } from "../agents/agent-in-process.ts";
import { enrol } from "../agents/enrol.ts";
import type { Answer, RunningAgent } from "../agents/running-agent.ts";

/** Every so many users there is one with a second factor. */
const usersPerFactor = 10;

/** Requests that are under way at once: their changes share writes. Hashes beyond eight would be refused. */
const atOnce = { users: 6, tokens: 50 } as const;

/** The password of each user. */
export const password = "seven calm otters by the river";

/**
 * Makes the state of a device on which so many users have signed in and so many API tokens were made. The agent itself
 * writes it, from its sources and with hashes that cost little: a few thousand real ones would take minutes. Gives the text
 * of each API token, which may read the status and the metrics.
 */
export async function makeLargeState(
  stateDirectory: string,
  counts: { readonly users: number; readonly tokens: number },
  environment: Readonly<Record<string, string>> = {},
) {
  const agent = await startAgentInProcess({ stateDirectory, environment });
  try {
    const ids: string[] = [];
    await inTurns("users", counts, async (index) => {
      ids[index] = await addUser(agent, index);
    });
    const tokens: string[] = [];
    await inTurns("tokens", counts, async (index) => {
      tokens[index] = await addToken(agent, ids[index % ids.length] ?? "", index);
    });
    return { tokens };
  } finally {
    await agent.dispose();
  }
}

/** The name of a user. The first is the only administrator; of each ten the last has a second factor. */
export function nameOf(index: number): string {
  return `user-${String(index).padStart(5, "0")}`;
}

async function addUser(agent: RunningAgent, index: number): Promise<string> {
  const username = nameOf(index);
  const role = index === 0 ? "admin" : (["readonly", "operator"] as const)[index % 2];
  const body = { username, password, role, display_name: `Person ${index} of shift ${index % 4}` };
  const { id } = (await post(agent, "/api/users", body)).json;
  const from = `10.${20 + (index >> 14)}.${(index >> 7) & 127}.${1 + (index & 127)}`;
  const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0" };
  const signedIn = await agent.call("POST", "/api/auth/login", {
    body: { username, password },
    from,
    headers,
  });
  if (signedIn.status !== 200) throw new Error(`no sign-in of ${username}: ${signedIn.text}`);
  if (index % usersPerFactor === usersPerFactor - 1)
    await enrol(agent.call, { id, token: signedIn.json.access_token, password });
  return id;
}

async function addToken(agent: RunningAgent, user_id: string, index: number): Promise<string> {
  const scopes = ["system:read", "metrics:read"];
  const body = { name: `collector ${index}`, scopes, user_id, expires_in: "365d" };
  return (await post(agent, "/api/tokens", body)).json.token;
}

async function post(agent: RunningAgent, path: string, body: object): Promise<Answer> {
  const answer = await agent.call("POST", path, { body, local: true });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`);
  return answer;
}

async function inTurns(
  what: keyof typeof atOnce,
  counts: Readonly<Record<typeof what, number>>,
  work: (index: number) => Promise<void>,
): Promise<void> {
  // Until there is an administrator, users cannot sign in.
  await work(0);
  let next = 1;
  const worker = async (): Promise<void> => {
    while (next < counts[what]) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce[what] }, worker));
}
