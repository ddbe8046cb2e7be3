import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "../agents/running-agent.ts";
import type { Chance } from "../basics/chance.ts";
import { createClient, type Request } from "../fuzz/api/client.ts";
import { draw, oneOf } from "../fuzz/draw.ts";
import { password, type SoakedAgent, usernames } from "./soaked-agent.ts";
import type { Tally } from "./tally.ts";

/** The input of a caller. */
export interface Loading {
  readonly agent: SoakedAgent;
  readonly chance: Chance;
  readonly tally: Tally;
  /** Ends the load. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two requests of a caller: about what a person with the console, or a monitor, causes. */
const pause = { least: 40, most: 160 };

/** Sends a request; null: the agent is being restarted. */
type Ask = (request: Request, expected: readonly number[]) => Promise<Answer | null>;

/** Everyone at once, until the signal: the three roles with a session each, a program with a token, and a stranger. */
export async function loadAgent(loading: Loading): Promise<void> {
  const { chance } = loading;
  const people = (Object.keys(usernames) as Role[]).map((role) =>
    person({ ...loading, chance: chance.fork() }, role),
  );
  const others = [program, collectors, stranger, root].map((caller) =>
    caller({ ...loading, chance: chance.fork() }),
  );
  await Promise.all([...people, ...others]);
}

type Role = keyof typeof usernames;

/**
 * The requests of each role; the number is how often. Fewer than one write a second is among them, since an account may
 * make no more.
 */
const acts: Readonly<
  Record<Role, readonly (readonly [often: number, method: string, path: string, body?: object])[]>
> = {
  admin: [
    ...([
      [6, "GET", "/api/status"],
      [3, "GET", "/api/users?limit=200&sort=-last_login_at"],
      [1, "GET", "/api/tokens?limit=200"],
      [3, "GET", "/api/updates"],
    ] as const),
    [1, "PUT", "/api/system", { device: { name: "changed" } }],
    [2, "GET", "/api/events?limit=50"],
    [1, "GET", "/api/openapi.json"],
  ],
  operator: [
    ...([
      [8, "GET", "/api/system/time-sync"],
      [5, "GET", "/api/logs?limit=100"],
      [3, "GET", "/api/events"],
    ] as const),
    [1, "PUT", "/api/system", { device: { location: "hall B" } }],
  ],
  readonly: [
    ...([
      [5, "GET", "/api/status"],
      [2, "GET", "/api/system/facts"],
      [2, "GET", "/api/logs"],
    ] as const),
    [1, "GET", "/api/updates/history"],
  ],
};

/** A session, and when its tokens came, by performance.now(). */
interface Session {
  readonly tokens: Answer["json"];
  readonly at: number;
}

/** Signs in, works, refreshes, signs out, and begins again; after a step of the clock the tokens are exchanged. */
async function person(loading: Loading, role: Role): Promise<void> {
  const { chance, signal } = loading;
  const ask = asker(loading, role);
  let session: Session | null = null;
  while (!signal.aborted) {
    if (session === null) session = await signIn(ask, role);
    else if (draw(chance, 40) > 0) session = await work(ask, loading, { role, session });
    else if (draw(chance, 3) > 0) session = await refresh(ask, loading, session);
    else {
      await ask(posting("/api/auth/logout", refreshToken(session)), expectedOf(loading, session, 204));
      session = null;
    }
    await delay(pause.least + draw(chance, pause.most - pause.least));
  }
}

/** 503: the hashing's places are taken by those who sign in at the same moment, after a restart as a rule. */
async function signIn(ask: Ask, role: Role): Promise<Session | null> {
  const body = JSON.stringify({ username: usernames[role], password });
  const answer = await ask(posting("/api/auth/login", body), [200, 503]);
  return answer?.status === 200 ? { tokens: answer.json, at: performance.now() } : null;
}

/** A 401 may have only those reasons with which the session goes on; an agent that was restarted has a new key. */
async function work(
  ask: Ask,
  loading: Loading,
  { role, session }: { role: Role; session: Session },
): Promise<Session | null> {
  const often = acts[role].flatMap((act) => Array.from({ length: act[0] }, () => act));
  const [, method, path, change] = oneOf(loading.chance, often);
  const answer = await ask(working({ method, path, change }, session.tokens.access_token), [200, 401]);
  if (answer?.status !== 401) return session;
  const { agent, tally } = loading;
  const expected = ["clock_epoch", "expired", ...(agent.restarts() > 0 ? ["signature"] : [])];
  if (!expected.includes(answer.json?.reason))
    tally.wrong(role, `a session was refused: ${answer.json?.code} ${answer.json?.reason}`);
  return refresh(ask, loading, session);
}

async function refresh(ask: Ask, loading: Loading, session: Session): Promise<Session | null> {
  const answer = await ask(
    posting("/api/auth/refresh", refreshToken(session)),
    expectedOf(loading, session, 200),
  );
  return answer?.status === 200 ? { tokens: answer.json, at: performance.now() } : null;
}

/** Milliseconds in which what sessions do is written (src/accounts/sessions/session-table.ts: 2 s), on a busy machine. */
const unwrittenMilliseconds = 10_000;

/** A session whose tokens came shortly before the agent was killed may not have been on the disk. */
function expectedOf({ agent }: Loading, { at }: Session, usual: number): readonly number[] {
  const mayBeLost = agent.killedAt() > at && agent.killedAt() - at < unwrittenMilliseconds;
  return mayBeLost ? [usual, 401] : [usual];
}

function refreshToken({ tokens }: Session): string {
  return JSON.stringify({ refresh_token: tokens.refresh_token });
}

/** A monitor with an API token, which no restart and no step of the clock ends. */
async function program(loading: Loading): Promise<void> {
  const { agent, chance, signal } = loading;
  const made = await agent
    .present()
    ?.call("POST", "/api/tokens", {
      local: true,
      body: {
        name: "soak",
        scopes: ["system:read", "logs:read", "metrics:read"],
        user_id: await idOf(agent),
      },
    });
  const ask = asker(loading, "API token");
  while (!signal.aborted) {
    const path = oneOf(chance, ["/api/status", "/api/metrics", "/api/health", "/api/logs?limit=20"]);
    await ask(working({ method: "GET", path }, made?.json.token), [200]);
    await delay(pause.least + draw(chance, pause.most - pause.least));
  }
}

/** Few enough that each was used before growth is judged: the agent keeps when and from where each was used last. */
const usedTokens = 200;

/** Programs with a token each, of which some look at the device now and then. */
async function collectors(loading: Loading): Promise<void> {
  const { agent, chance, signal } = loading;
  const ask = asker(loading, "collectors");
  const tokens = agent.tokens.slice(0, usedTokens);
  while (!signal.aborted && tokens.length > 0) {
    const path = oneOf(chance, ["/api/status", "/api/metrics"]);
    await ask(working({ method: "GET", path }, oneOf(chance, tokens)), [200]);
    await delay(pause.least + draw(chance, pause.most - pause.least));
  }
}

async function idOf(agent: SoakedAgent): Promise<string> {
  const answer = await agent.present()?.call("GET", `/api/users?q=${usernames.readonly}`, { local: true });
  return answer?.json.items[0].id;
}

/** Guesses and looks around: refused, and slowed down. */
async function stranger(loading: Loading): Promise<void> {
  const { chance, signal } = loading;
  const ask = asker(loading, "stranger");
  while (!signal.aborted) {
    const body = JSON.stringify({ username: oneOf(chance, ["root", "admin", "guest"]), password: "guess" });
    const from = `10.9.${draw(chance, 8)}.${draw(chance, 250)}`;
    const isGuess = draw(chance, 3) === 0;
    // 503: all of the hashing's places are taken, which keeps one for those who are known.
    if (isGuess) await ask({ ...posting("/api/auth/login", body), from }, [401, 429, 503]);
    else if (draw(chance, 2) === 0) await ask({ method: "GET", path: "/api/users" }, [401]);
    else await ask({ method: "GET", path: oneOf(chance, ["/", "/api/version", "/api/health"]) }, [200]);
    await delay(2 * pause.most);
  }
}

/** Root on the device: looks for updates, polls the time servers, adds and deletes a user. */
async function root(loading: Loading): Promise<void> {
  const { chance, signal } = loading;
  const ask = asker(loading, "root");
  while (!signal.aborted) {
    const kind = draw(chance, 3);
    // 429: ten seconds lie between two checks. 409, 503: servers that flap may not agree, or not answer.
    if (kind === 0) await ask({ ...posting("/api/updates/check", "{}"), isLocal: true }, [202, 429]);
    else if (kind === 1)
      await ask(
        { ...posting("/api/system/time-sync/reselect", "{}"), isLocal: true },
        [200, 409, 422, 429, 503],
      );
    else await addAndDelete(ask, chance);
    await delay(1_000);
  }
}

async function addAndDelete(ask: Ask, chance: Chance): Promise<void> {
  const username = `soak-${draw(chance, 2 ** 31).toString(36)}`;
  const body = JSON.stringify({ username, password, role: "readonly" });
  const made = await ask({ ...posting("/api/users", body), isLocal: true }, [201]);
  if (made?.status === 201)
    await ask({ method: "DELETE", path: `/api/users/${made.json.id}`, isLocal: true }, [204]);
}

function asker({ agent, tally, signal }: Loading, caller: string): Ask {
  return async (request, expected) => {
    const present = agent.present();
    if (!present) {
      tally.away(caller);
      return null;
    }
    try {
      const answer = await createClient(present)(request);
      if (answer.json?.code === "shutting_down" && agent.restarts() > 0) throw new Error("it is being ended");
      const what = `${request.method} ${request.path} to ${agent.name}`;
      tally.count(caller, { what, ...answer }, expected);
      return answer;
    } catch (error) {
      // It was ended meanwhile.
      if (agent.present() !== present || signal.aborted) tally.away(caller);
      else tally.wrong(caller, `${request.method} ${request.path}: ${String(error)}`);
      return null;
    }
  };
}

function posting(path: string, body: string): Request {
  return { method: "POST", path, body, headers: { "content-type": "application/json" } };
}

function working(
  act: { method: string; path: string; change?: object | undefined },
  bearer: string,
): Request {
  const { method, path, change } = act;
  const headers = { authorization: `Bearer ${bearer}` };
  if (change === undefined) return { method, path, headers };
  return {
    method,
    path,
    body: JSON.stringify(change),
    headers: { ...headers, "content-type": "application/json" },
  };
}
