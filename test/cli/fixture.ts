import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Ended } from "../../lab/basics/captured-streams.ts";
import {
  type Line,
  type RunOptions,
  runSteward,
  stewardCommand,
  temporaryDirectory,
  wordsOf,
  writeOffline,
} from "../../lab/command-line/run-steward.ts";
import {
  type Answer,
  type Answers,
  annaId,
  exampleUser,
  pageOf,
  problem,
  type Received,
  startAgent,
} from "../../lab/command-line/scripted-agent.ts";
import { type Typed, typeInto } from "../../lab/command-line/terminal.ts";
import type { ApiToken, Session, User } from "../../src/contract/types.ts";

export * from "../../lab/command-line/run-steward.ts";
export * from "../../lab/command-line/scripted-agent.ts";
export { typeInto } from "../../lab/command-line/terminal.ts";

/** All of a text, or what it must match. */
type Said = string | RegExp | readonly RegExp[];

/** The requests of a command to the agent. Members that are absent are not looked at. */
interface Requests {
  /** Each request in its order, with its query where one of these has one. */
  readonly asked?: readonly string[];
  readonly sent?: readonly (readonly [request: string, body?: unknown])[];
  /** The last body at these paths. */
  readonly bodies?: Readonly<Record<string, unknown>>;
}

/** The end of a command, with 0 unless a code is named; and its input. */
interface End extends Requests, RunOptions {
  readonly code?: number;
  readonly stdout?: Said;
  readonly stderr?: Said;
}

function assertSaid(text: string, said: Said | undefined): void {
  if (typeof said === "string") assert.equal(text, said);
  else for (const one of [said ?? []].flat()) assert.match(text, one);
}

function assertRequests(received: readonly Received[], { asked, sent, bodies = {} }: Requests): void {
  const named = ({ method, path }: Received, withQuery = true) =>
    `${method} ${withQuery ? path : path.split("?")[0]}`;
  if (asked) {
    const withQuery = asked.some((one) => one.includes("?"));
    const all = received.map((one) => named(one, withQuery));
    assert.deepEqual(all, asked);
  }
  const changes = received.filter(({ method }) => method !== "GET");
  if (sent)
    assert.deepEqual(
      changes.map((one) => [named(one), one.body]),
      sent.map(([request, body]) => [request, body]),
    );
  for (const [path, body] of Object.entries(bodies))
    assert.deepEqual(received.findLast((one) => one.path === path)?.body, body, path);
}

function assertEnd({ code, stdout, stderr }: Ended, end: End): void {
  assert.equal(code, end.code ?? 0, stdout + stderr);
  assertSaid(stdout, end.stdout);
  assertSaid(stderr, end.stderr);
}

/** Runs a line while an agent answers so; it must end so. Gives all of it. */
export async function ended(test: TestContext, line: Line, answers: Answers, end: End = {}) {
  const { socketPath, received } = await startAgent(test, answers);
  const result = await runSteward([...wordsOf(line), "--socket", socketPath], end);
  assertEnd(result, end);
  assertRequests(received, end);
  return { ...result, received };
}

/** The same with no agent but the one that the line names. */
export async function endedAlone(line: Line, end: End = {}) {
  const result = await runSteward(line, end);
  assertEnd(result, end);
  return result;
}

/** The same on a terminal, where this is typed; `screen` is all that is shown. */
export async function endedOnTerminal(
  test: TestContext,
  line: Line,
  answers: Answers,
  typed: readonly Typed[],
  {
    code = 0,
    screen,
    environment,
    ...requests
  }: Requests & Pick<RunOptions, "environment"> & { code?: number; screen?: Said } = {},
) {
  const { socketPath, received } = await startAgent(test, answers);
  const words = [...stewardCommand, ...wordsOf(line), "--socket", socketPath];
  const shown = await typeInto(words, typed, environment);
  assert.deepEqual([shown.code, shown.isRestored], [code, true], shown.screen);
  assertSaid(shown.screen, screen);
  assertRequests(received, requests);
  return { ...shown, received };
}

/** The same three for a test that looks at nothing else. */
export async function ends(...given: Parameters<typeof ended>): Promise<void> {
  await ended(...given);
}
export async function endsAlone(...given: Parameters<typeof endedAlone>): Promise<void> {
  await endedAlone(...given);
}
export async function endsOnTerminal(...given: Parameters<typeof endedOnTerminal>): Promise<void> {
  await endedOnTerminal(...given);
}

/** A state directory beside which no agent runs, with these answers of operations that are done in process. */
export function offline(test: TestContext, answers: Record<string, unknown> = {}) {
  const directory = temporaryDirectory(test);
  writeOffline(directory, answers);
  const socket = join(directory, "none.sock");
  return { directory, socket, places: ["--state", directory, "--socket", socket] };
}

export const password = "quiet otters borrow umbrellas";

export const twoFactorOn: Partial<User> = {
  two_factor: { enabled: true, enrolled_at: "2026-01-02T03:04:05.000Z", recovery_codes_remaining: 10 },
};

export function exampleSession(user: User): Session {
  const [expires_at, idle_expires_at] = ["2026-01-03T03:04:05.000Z", "2026-01-02T04:04:05.000Z"];
  return {
    access_token: "access-1",
    token_type: "Bearer",
    expires_in: 900,
    refresh_token: "refresh-1",
    session: { id: "ses_1", expires_at, idle_expires_at },
    user,
    warnings: [],
  };
}

/** The answers of an agent to a user who signs in, with a code where the user has a second factor, steps up and leaves. */
export function signInAnswers(user: User = exampleUser()): Answers {
  const session = { body: exampleSession(user) };
  const challenge = problem({ code: "totp_required", status: 401, challenge_token: "stc_challenge" });
  return {
    "GET /api/users": pageOf(user),
    "POST /api/auth/login": user.two_factor.enabled ? challenge : session,
    "POST /api/auth/totp": session,
    "POST /api/auth/reauth": { body: { expires_in: 300 } },
    "POST /api/auth/logout": { status: 204 },
  };
}

/** Refuses once for the want of a step-up; answers then. */
export function untilSteppedUp(answer: Answer): () => Answer {
  let hasRefused = false;
  return () => {
    if (hasRefused) return answer;
    hasRefused = true;
    return problem({ code: "step_up_required", status: 401 });
  };
}

export const exampleToken: ApiToken = {
  id: `tok_${"b".repeat(32)}`,
  name: "backup of the roof",
  user_id: annaId,
  username: "anna",
  scopes: ["logs:read", "system:read"],
  created_at: "2026-01-02T03:04:05.000Z",
  expires_at: "2026-04-02T03:04:05.000Z",
  is_expired: false,
  last_used_at: null,
  last_used_from: null,
  is_fleet: false,
  sources: [],
  no_expiry: false,
  is_suspended: false,
};
