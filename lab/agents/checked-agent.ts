import assert from "node:assert/strict";
import { until } from "../basics/until.ts";
import { type InProcessOptions, startAgentInProcess } from "./agent-in-process.ts";
import { checkAnswer } from "./answer-rules.ts";
import { createCanary, shownByProcess } from "./canary.ts";
import {
  type AgentOptions,
  type AgentProcess,
  type Answer,
  adminName,
  adminPassword,
  type CallOptions,
  type RunningAgent,
  readerBy,
  startAgentProcess,
  stepUp,
} from "./running-agent.ts";

/** The contract checks every answer of this agent, and the agent must write down no secret that it was given. */
export interface CheckedAgent extends RunningAgent {
  login: (username: string, password: string) => Promise<SignedIn>;
  /** Adds a user over the socket, with a chosen password, signs in and steps up. */
  signedIn: (username: string, role: "admin" | "operator" | "readonly") => Promise<SignedIn>;
  /** Remembers what must appear in no log and in no error, and checks what came back. */
  judge: (method: string, path: string, answer: Answer, sent?: CallOptions) => Answer;
  /** The same call, held against nothing. */
  unchecked: RunningAgent["call"];
  /** These must not be written anywhere. Each answer may add some. */
  secrets: ReadonlySet<string>;
}

export interface SignedIn {
  id: string;
  token: string;
  refreshToken: string;
}

/** Accepted by the rules for every name used in the tests. */
export const goodPassword = "quiet otters borrow umbrellas";

/**
 * Starts the agent. `dispose` throws when a secret has leaked: into its log, its events or documents, what it has been
 * read from it, its arguments or environment.
 */
export async function startCheckedAgent(options: InProcessOptions = {}): Promise<CheckedAgent> {
  return checked(await startAgentInProcess(options));
}

/** The same with the built program in a process of its own. */
export async function startCheckedProcess(options: AgentOptions = {}): Promise<CheckedAgent & AgentProcess> {
  const agent = await startAgentProcess(options);
  return { ...checked(agent), process: agent.process };
}

function checked(agent: RunningAgent): CheckedAgent {
  const canary = createCanary();
  const judge = (method: string, path: string, answer: Answer, sent: CallOptions = {}): Answer => {
    canary.sent(sent);
    if (answer.status >= 400) canary.assertNotIn(answer.text, `the error of ${method} ${path.slice(0, 100)}`);
    canary.received(method, answer);
    checkAnswer(method, path, answer);
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
    const body = { username, role, password };
    const { status, text } = await call("POST", "/api/users", { body, local: true });
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
    read: readerBy(call),
    unchecked: agent.call,
    judge,
    login,
    secrets: canary.secrets,
    signedIn: (username, role) => enter(username, role, goodPassword),
    signedInAdmin: () => enter(adminName, "admin", adminPassword),
    dispose: async () => {
      const shown = shownByProcess(agent.pid);
      await agent.stop();
      try {
        canary.assertNotIn(shown, "the process");
        canary.assertNotIn(agent.log(), "the log");
        canary.assertNotInBodies();
        canary.assertNotInState(agent.stateDirectory);
        assert.doesNotMatch(agent.log(), /"severity":"error"/, "the log has an error");
      } finally {
        await agent.dispose();
      }
    },
  };
}

/** Waits for a line of the log, which comes by a pipe of its own and so after the answer. */
export async function untilLogged(agent: RunningAgent, pattern: RegExp): Promise<void> {
  await until(`the log has ${pattern}`, () => pattern.test(agent.log()));
}

/** Throws unless others are answered: one request after another, as a monitor asks. */
export async function assertServesOthers(agent: RunningAgent, requests = 20): Promise<void> {
  for (let count = 0; count < requests; count += 1) {
    const { status, text } = await agent.call("GET", "/api/health");
    assert.equal(status, 200, `request ${count + 1} of another: ${text}`);
  }
}
