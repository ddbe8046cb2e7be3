/** One walk over the API, in which each operation is called as a client would: what is sent and answered are the examples. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type OperationId, operationOf } from "../../src/contract/operations.ts";
import { startAgentInProcess } from "../agents/agent-in-process.ts";
import { type Answer, type RunningAgent, stepUp } from "../agents/running-agent.ts";
import { codeOf } from "../basics/authenticator.ts";
import { standingTime } from "../simulated/test-time.ts";

/** A call of the walk: what was sent, and what came back. */
export interface Recorded {
  readonly id: OperationId;
  readonly body: unknown;
  readonly status: number;
  /** undefined: there is none, or it is a refusal. */
  readonly answer: unknown;
}

interface Wanted {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** The code with which a device refuses that has no update server, where the request itself is a right one. */
  readonly refused?: string;
}

type Walker = (id: OperationId, wanted?: Wanted) => Promise<Answer["json"]>;

/** The time of the walk; nothing passes while it lasts. */
const beginning = Date.parse("2026-11-20T08:00:00.000Z");
const password = "quiet otters borrow umbrellas";
const other = "loud badgers return parasols";

/** Operations that are not called, because what they take and answer is called by name elsewhere, or is a stream. */
export const leftOut: readonly OperationId[] = ["disableTwoFactor", "streamEvents", "streamLogs"];

/** Walks with an agent of its own. Throws where an operation does not answer as the contract says. */
export async function walk(): Promise<Recorded[]> {
  const agent = await startAgentInProcess({
    time: standingTime(beginning),
    helper: { ask: async () => undefined, absence: () => null },
  });
  const recorded: Recorded[] = [];
  const call: Walker = async (id, { body, token, path = {}, query = "", refused } = {}) => {
    const { method, path: template, response } = operationOf(id);
    const url = template.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? name);
    const sent = {
      ...(body !== undefined && { body }),
      token,
      ...(token === undefined && id !== "setUp" && !isForStrangers(id) && { local: true }),
    };
    const { status, json, text } = await agent.call(method, `${url}${query}`, sent);
    if (status !== response.status && json?.code !== refused) throw new Error(`${id}: ${status} ${text}`);
    recorded.push({ id, body, status, answer: status === response.status ? json : undefined });
    return json;
  };
  try {
    await setUpAndSignIn(agent, call);
    return recorded;
  } finally {
    await agent.dispose();
  }
}

const isForStrangers = (id: OperationId): boolean => operationOf(id).access === "open";

async function setUpAndSignIn(agent: RunningAgent, call: Walker): Promise<void> {
  await call("getSetup");
  await call("greetConsole");
  const setup_token = (await readFile(join(agent.runDirectory, "setup-token"), "utf8")).trim();
  await call("setUp", { body: { setup_token, username: "alice", password } });
  const { access_token: token, refresh_token } = await call("login", {
    body: { username: "alice", password },
  });
  await call("refresh", { body: { refresh_token } });
  await call("reauthenticate", { token, body: { password } });
  await call("getMe", { token });
  await accounts(call, token);
  await device(call, token);
  await programs(call, token);
  await secondFactor(agent, call);
  const last = await call("login", { body: { username: "alice", password } });
  await call("logout", { body: { refresh_token: last.refresh_token } });
  const { device_name } = await call("getStatus", { token });
  await call("factoryReset", { token, body: { confirm: device_name } });
}

async function accounts(call: Walker, token: string): Promise<void> {
  const bob = await call("createUser", {
    token,
    body: { username: "bob", role: "operator", display_name: "Bob" },
  });
  const path = { id: bob.id };
  await call("getUser", { token, path });
  await call("updateUser", { token, path, body: { display_name: "Bob B." } });
  await call("listUsers", { token, query: "?limit=1" });
  await call("unlockUser", { token, path });
  await call("getTwoFactor", { token, path });
  await call("rescueUser", { token, path, body: { keep_tokens: true } });
  await call("resetPassword", { token, path, body: { password: other } });
  const signedIn = await call("login", { body: { username: "bob", password: other } });
  await call("changePassword", {
    token: signedIn.access_token,
    body: { current_password: other, new_password: `${other} again` },
  });
  await call("listSessions", { token, query: "?limit=1" });
  await call("endSession", { token: signedIn.access_token, path: { sid: signedIn.session.id } });
  await call("endUserSessions", { token, path });
  await call("deleteUser", { token, path });
}

async function device(call: Walker, token: string): Promise<void> {
  for (const id of [
    "getOpenApi",
    "getSettingsSchema",
    "getVersion",
    "getHealth",
    "getReadiness",
    "getSystemFacts",
    "getTls",
    "getHost",
  ] as const)
    await call(id, { token });
  await call("getSettings", { token });
  await call("updateSettings", { token, body: { device: { name: "pump-7", location: "hall 2" } } });
  await call("changeHost", { token, body: { host_name: "pump-7" } });
  await call("reloadHostFile", { token });
  await call("reboot", { token, body: { force: true } });
  await call("powerOff", { token });
  await call("getTimeSync", { token });
  await call("probeTimeServers", { token, body: { servers: ["127.0.0.1:9"] } });
  await call("reselectTimeSources", { token, refused: "no_time_source" });
  await call("syncTime", { token, body: { time: "2026-11-20T08:00:00.000Z" } });
  await call("resetClockFloor");
  await call("getUpdates", { token });
  await call("listUpdateHistory", { token });
  await call("checkForUpdates", { token, body: {}, refused: "update_not_configured" });
  await call("applyUpdates", { token, body: { kind: "rules" }, refused: "update_not_set_up" });
  await call("rollBackUpdate", { token, body: { kind: "rules" }, refused: "update_not_set_up" });
  await call("postponeUpdate", {
    token,
    body: { kind: "rules", for: "12h" },
    refused: "no_update_available",
  });
  await call("dismissFailedUpdate", { token, body: { release_id: "0".repeat(32) }, refused: "not_found" });
  const fingerprint = "0".repeat(64);
  await call("confirmUpdateTrust", { token, body: { fingerprint }, refused: "update_trust_not_established" });
  await call("acceptDamage", { token, path: { name: "settings" }, refused: "not_found" });
}

async function programs(call: Walker, token: string): Promise<void> {
  const body = { name: "monitoring", scopes: ["system:read", "metrics:read"], expires_in: "90d" };
  const made = await call("createToken", { token, body });
  await call("getMetrics", { token: made.token });
  await call("listTokens", { token });
  await call("deleteToken", { token, path: { id: made.id } });
  await call("listEvents", { token, query: "?limit=1" });
  await call("listLogs", { token, query: "?limit=1" });
}

/** Another user, with a second factor: enabled, used, and lost. */
async function secondFactor(agent: RunningAgent, call: Walker): Promise<void> {
  const added = await agent.call("POST", "/api/users", {
    local: true,
    body: { username: "carol", role: "readonly", password },
  });
  const path = { id: added.json.id };
  const signIn = async () =>
    (await agent.call("POST", "/api/auth/login", { body: { username: "carol", password } })).json;
  const { access_token: token } = await signIn();
  await stepUp(agent.call, token, password);
  const { secret } = await call("setUpTwoFactor", { token, path });
  const code = (steps: number) => codeOf(secret, beginning / 1_000 + steps * 30);
  const { recovery_codes } = await call("enableTwoFactor", {
    ...{ token, path },
    body: { code: code(-1), allow_unsynchronised_clock: true },
  });
  const { challenge_token } = await signIn();
  const again = await call("answerChallenge", { body: { challenge_token, code: code(0) } });
  const renewed = await call("makeRecoveryCodes", { token: again.access_token, path });
  const proof = { password, recovery_code: renewed.recovery_codes[0] ?? recovery_codes[0] };
  await call("recoverTwoFactor", { path: { id: "carol" }, body: proof });
}
