import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import {
  type AgentOptions,
  type Answer,
  adminName,
  adminPassword,
  type CallOptions,
  type RunningAgent,
  startAgentProcess,
  stepUp,
} from "../running-agent.ts";
import { checkAnswer } from "./answer-rules.ts";

/** An agent whose every answer is held against the contract, and whose log must not know what it was told in secret. */
export interface CheckedAgent extends RunningAgent {
  /** Signs in. Throws unless it succeeds. */
  login: (username: string, password: string) => Promise<SignedIn>;
  /** Adds a user over the socket, with a chosen password, signs in and steps up. */
  signedIn: (username: string, role: "admin" | "operator" | "readonly") => Promise<SignedIn>;
  /** Remembers what must appear in no log and in no error, and checks what came back. */
  judge: (method: string, path: string, answer: Answer, sent?: CallOptions) => Answer;
  /** The same call, held against nothing. */
  unchecked: RunningAgent["call"];
  /** What must not be written anywhere, so far. */
  secrets: ReadonlySet<string>;
}

export interface SignedIn {
  id: string;
  token: string;
  refreshToken: string;
}

/** Accepted by the rules for every name used in the tests. */
export const goodPassword = "quiet otters borrow umbrellas";

const secretMembers = [
  "password",
  "current_password",
  "new_password",
  "refresh_token",
  "access_token",
  "initial_password",
  "setup_token",
  "secret",
  "otpauth_uri",
  "challenge_token",
  "token",
  "recovery_code",
  "recovery_codes",
];

/** Starts the agent; `dispose` throws when a secret has leaked into its log. */
export async function startCheckedAgent(options: AgentOptions = {}): Promise<CheckedAgent> {
  const agent = await startAgentProcess(options);
  const secrets = new Set<string>();
  const judge = (method: string, path: string, answer: Answer, sent: CallOptions = {}): Answer => {
    if (sent.token !== undefined) remember(secrets, sent.token);
    collect(secrets, sent.body);
    if (answer.status < 400) collect(secrets, answer.json);
    checkAnswer(method, path, answer);
    if (answer.status >= 400)
      assertWithout(secrets, answer.text, `the error of ${method} ${path.slice(0, 100)}`);
    return answer;
  };
  const call = async (method: string, path: string, sent: CallOptions = {}) =>
    judge(method, path, await agent.call(method, path, sent), sent);
  const login = async (username: string, password: string): Promise<SignedIn> => {
    const { status, json, text } = await call("POST", "/api/auth/login", { body: { username, password } });
    assert.equal(status, 200, text);
    return { id: json.user.id, token: json.access_token, refreshToken: json.refresh_token };
  };
  const add = async (username: string, role: string, password: string): Promise<void> => {
    const { status, text } = await call("POST", "/api/users", {
      body: { username, role, password },
      local: true,
    });
    assert.equal(status, 201, text);
  };
  const enter = async (username: string, role: string, password: string): Promise<SignedIn> => {
    await add(username, role, password);
    const user = await login(username, password);
    await stepUp(call, user.token, password);
    return user;
  };
  return {
    ...agent,
    call,
    unchecked: agent.call,
    judge,
    login,
    secrets,
    signedIn: (username, role) => enter(username, role, goodPassword),
    signedInAdmin: () => enter(adminName, "admin", adminPassword),
    dispose: async () => {
      await agent.dispose();
      assertWithout(secrets, agent.log(), "the log");
      assert.doesNotMatch(agent.log(), /"severity":"error"/, "the log has an error");
    },
  };
}

/** Waits for a line of the log, which comes by a pipe of its own and so after the answer. */
export async function untilLogged(agent: RunningAgent, pattern: RegExp): Promise<void> {
  for (let tries = 0; tries < 200 && !pattern.test(agent.log()); tries += 1) await delay(10);
  assert.match(agent.log(), pattern);
}

/** The 95th percentile, in milliseconds, of one request after another to GET /api/health. */
export async function healthPercentile(agent: RunningAgent, requests = 40): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < requests; count += 1) {
    const begin = performance.now();
    const { status } = await agent.call("GET", "/api/health");
    times.push(performance.now() - begin);
    assert.equal(status, 200);
  }
  return times.sort((a, b) => a - b)[Math.floor(requests * 0.95) - 1] ?? Number.NaN;
}

/** Throws unless others are answered within 50 ms; a neighbour's load on this machine may cost two rounds. */
export async function assertServesOthers(agent: RunningAgent): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && best >= 50; round += 1)
    best = Math.min(best, await healthPercentile(agent));
  assert.ok(best < 50, `GET /api/health took ${best.toFixed(1)} ms (95th percentile)`);
}

/** Throws, without repeating it, when one of the secrets occurs in the text. */
export function assertWithout(secrets: ReadonlySet<string>, text: string, where: string): void {
  for (const secret of secrets)
    assert.ok(!text.includes(secret), `${where} has a secret of ${secret.length}`);
}

/** No body of the contract nests deeper; those of an attack may nest deeper than a stack. */
const deepest = 4;

function collect(secrets: Set<string>, value: unknown, depth = 0): void {
  const parsed = typeof value === "string" ? parsedOrNot(value) : value;
  if (typeof parsed !== "object" || parsed === null || depth > deepest) return;
  for (const [name, member] of Object.entries(parsed)) {
    if (secretMembers.includes(name)) for (const text of [member].flat()) remember(secrets, String(text));
    else collect(secrets, member, depth + 1);
  }
}

/** Shorter texts occur by chance, also in honest sentences. */
function remember(secrets: Set<string>, text: string): void {
  if (text.length >= 10) secrets.add(text);
}

function parsedOrNot(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
