import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "../agents/running-agent.ts";
import type { Chance } from "../basics/chance.ts";
import { createClient } from "../fuzz/api/client.ts";
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

/** More of a request than its method and path. */
interface More {
  readonly body?: object;
  readonly bearer?: string;
  /** Over the unix socket, as root. */
  readonly isLocal?: boolean;
  readonly from?: string;
}

/** Sends a request such as `GET /api/status`; null: the agent is being restarted. */
type Ask = (request: string, expected: readonly number[], more?: More) => Promise<Answer | null>;

/** Everyone at once, until the signal: the three roles with a session each, a program with a token, and a stranger. */
export async function loadAgent(loading: Loading): Promise<void> {
  const people = (Object.keys(usernames) as Role[]).map((role) => [role, person(role)] as const);
  const others = [
    ["API token", program],
    ["collectors", collector],
    ["stranger", stranger],
    ["root", root],
  ] as const;
  await Promise.all(
    [...people, ...others].map(async ([name, caller]) => {
      const own = { ...loading, chance: loading.chance.fork() };
      const act = await caller(asker(own, name), own);
      while (!loading.signal.aborted) await delay((await act()) ?? between(own.chance));
    }),
  );
}

/** Gives what is done again and again, and how long to wait after it where that is not the usual time. */
type Caller = (ask: Ask, loading: Loading) => Act | Promise<Act>;
type Act = () => Promise<number | undefined>;

function between(chance: Chance): number {
  return pause.least + draw(chance, pause.most - pause.least);
}

type Role = keyof typeof usernames;

/**
 * The requests of each role, the usual ones several times. Fewer than one write a second is among them, since an account
 * may make no more.
 */
const acts: Readonly<Record<Role, readonly string[]>> = {
  admin: [
    ...many(6, "GET /api/status"),
    ...many(3, "GET /api/users?limit=200&sort=-last_login_at"),
    ...many(3, "GET /api/updates"),
    ...many(2, "GET /api/events?limit=50"),
    ...["GET /api/tokens?limit=200", "PUT /api/system", "GET /api/openapi.json"],
  ],
  operator: [
    ...many(8, "GET /api/system/time-sync"),
    ...many(5, "GET /api/logs?limit=100"),
    ...many(3, "GET /api/events"),
    "PUT /api/system",
  ],
  readonly: [
    ...many(5, "GET /api/status"),
    ...many(2, "GET /api/system/facts"),
    ...many(2, "GET /api/logs"),
    "GET /api/updates/history",
  ],
};
const changes = { admin: { name: "changed" }, operator: { location: "hall B" }, readonly: {} };

function many(times: number, request: string): string[] {
  return Array.from({ length: times }, () => request);
}

/** A session, and when its tokens came, by performance.now(). */
interface Session {
  readonly tokens: Answer["json"];
  readonly at: number;
}

/** Signs in, works, refreshes, signs out, and begins again; after a step of the clock the tokens are exchanged. */
function person(role: Role): Caller {
  return (ask, loading) => {
    const { agent, chance, tally } = loading;
    let session: Session | null = null;
    const opened = (answer: Answer | null): Session | null =>
      answer?.status === 200 ? { tokens: answer.json, at: performance.now() } : null;
    const withToken = ({ tokens }: Session): More => ({ body: { refresh_token: tokens.refresh_token } });
    const refresh = async (present: Session) =>
      opened(await ask("POST /api/auth/refresh", expectedOf(agent, present, 200), withToken(present)));
    /** A 401 may have only those reasons with which the session goes on; an agent that was restarted has a new key. */
    const work = async (present: Session): Promise<Session | null> => {
      const request = oneOf(chance, acts[role]);
      const more = request.startsWith("PUT") ? { body: { device: changes[role] } } : {};
      const answer = await ask(request, [200, 401], { ...more, bearer: present.tokens.access_token });
      if (answer?.status !== 401) return present;
      const expected = ["clock_epoch", "expired", ...(agent.restarts() > 0 ? ["signature"] : [])];
      if (!expected.includes(answer.json?.reason))
        tally.wrong(role, `a session was refused: ${answer.json?.code} ${answer.json?.reason}`);
      return refresh(present);
    };
    return async () => {
      // 503: the hashing's places are taken by those who sign in at the same moment, after a restart as a rule.
      const body = { username: usernames[role], password };
      if (session === null) session = opened(await ask("POST /api/auth/login", [200, 503], { body }));
      else if (draw(chance, 40) > 0) session = await work(session);
      else if (draw(chance, 3) > 0) session = await refresh(session);
      else {
        await ask("POST /api/auth/logout", expectedOf(agent, session, 204), withToken(session));
        session = null;
      }
      return undefined;
    };
  };
}

/** Milliseconds in which what sessions do is written (src/accounts/sessions/session-table.ts: 2 s), on a busy machine. */
const unwrittenMilliseconds = 10_000;

/** A session whose tokens came shortly before the agent was killed may not have been on the disk. */
function expectedOf(agent: SoakedAgent, { at }: Session, usual: number): readonly number[] {
  const mayBeLost = agent.killedAt() > at && agent.killedAt() - at < unwrittenMilliseconds;
  return mayBeLost ? [usual, 401] : [usual];
}

/** A monitor with an API token, which no restart and no step of the clock ends. */
const program: Caller = async (ask, { agent, chance }) => {
  const present = agent.present();
  const found = await present?.call("GET", `/api/users?q=${usernames.readonly}`, { local: true });
  const scopes = ["system:read", "logs:read", "metrics:read"];
  const body = { name: "soak", scopes, user_id: found?.json.items[0].id };
  const made = await present?.call("POST", "/api/tokens", { local: true, body });
  return async () => {
    const path = oneOf(chance, ["/api/status", "/api/metrics", "/api/health", "/api/logs?limit=20"]);
    await ask(`GET ${path}`, [200], { bearer: made?.json.token });
    return undefined;
  };
};

/** Few enough that each was used before growth is judged: the agent keeps when and from where each was used last. */
const usedTokens = 200;

/** Programs with a token each, of which some look at the device now and then. */
const collector: Caller = (ask, { agent, chance }) => {
  const tokens = agent.tokens.slice(0, usedTokens);
  return async () => {
    if (tokens.length === 0) return pause.most;
    const path = oneOf(chance, ["/api/status", "/api/metrics"]);
    await ask(`GET ${path}`, [200], { bearer: oneOf(chance, tokens) });
    return undefined;
  };
};

/** Guesses and looks around: refused, and slowed down. */
const stranger: Caller =
  (ask, { chance }) =>
  async () => {
    const body = { username: oneOf(chance, ["root", "admin", "guest"]), password: "guess" };
    const from = `10.9.${draw(chance, 8)}.${draw(chance, 250)}`;
    // 503: all of the hashing's places are taken, which keeps one for those who are known.
    if (draw(chance, 3) === 0) await ask("POST /api/auth/login", [401, 429, 503], { body, from });
    else if (draw(chance, 2) === 0) await ask("GET /api/users", [401]);
    else await ask(`GET ${oneOf(chance, ["/", "/api/version", "/api/health"])}`, [200]);
    return 2 * pause.most;
  };

/** Root on the device: looks for updates, polls the time servers, adds and deletes a user. */
const root: Caller =
  (ask, { chance }) =>
  async () => {
    const asRoot = { body: {}, isLocal: true };
    const kind = draw(chance, 3);
    // 429: ten seconds lie between two checks. 409, 503: servers that flap may not agree, or not answer.
    if (kind === 0) await ask("POST /api/updates/check", [202, 429], asRoot);
    else if (kind === 1) await ask("POST /api/system/time-sync/reselect", [200, 409, 422, 429, 503], asRoot);
    else {
      const body = { username: `soak-${draw(chance, 2 ** 31).toString(36)}`, password, role: "readonly" };
      const made = await ask("POST /api/users", [201], { ...asRoot, body });
      if (made?.status === 201) await ask(`DELETE /api/users/${made.json.id}`, [204], { isLocal: true });
    }
    return 1_000;
  };

function asker({ agent, tally, signal }: Loading, caller: string): Ask {
  return async (request, expected, { body, bearer, ...way } = {}) => {
    const present = agent.present();
    if (!present) {
      tally.away(caller);
      return null;
    }
    const [method = "", path = ""] = request.split(" ");
    const headers = {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    };
    const sent = { ...way, method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    try {
      const answer = await createClient(present)(sent);
      if (answer.json?.code === "shutting_down" && agent.restarts() > 0) throw new Error("it is being ended");
      tally.count(caller, { what: `${request} to ${agent.name}`, ...answer }, expected);
      return answer;
    } catch (error) {
      // It was ended meanwhile.
      if (agent.present() !== present || signal.aborted) tally.away(caller);
      else tally.wrong(caller, `${request}: ${String(error)}`);
      return null;
    }
  };
}
