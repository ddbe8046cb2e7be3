import { setTimeout as delay } from "node:timers/promises";
import { type Answer, adminName, type RunningAgent } from "../agents/running-agent.ts";
import { openStream } from "../agents/stream-reader.ts";
import type { Chance } from "../basics/chance.ts";
import { draw, oneOf } from "../fuzz/draw.ts";

const password = "seven calm otters by the river";

/** One of each role. */
export const people = [
  { username: adminName, role: "admin", password },
  { username: "soak-operator", role: "operator", password },
  { username: "soak-reader", role: "readonly", password },
] as const;

/** The requests of all callers, what was not expected with how often it came, and the events that were read. */
export interface Tally {
  readonly callers: Map<string, number>;
  readonly faults: Map<string, number>;
  events: number;
}

interface Loading {
  readonly agent: RunningAgent;
  readonly chance: Chance;
  readonly tally: Tally;
  /** Ends the load. */
  readonly signal: AbortSignal;
}

type Options = Parameters<RunningAgent["call"]>[2];
/** Sends a request such as `GET /api/status`; an answer of another status is a fault. */
type Ask = (request: string, expected: readonly number[], options?: Options) => Promise<Answer>;
/** A caller does this again and again. */
type Act = () => Promise<void>;

/** Everyone at once until the signal: the three roles with a session each, a program, a stranger, root and a stream. */
export async function loadAgent({ agent, chance, tally, signal }: Loading): Promise<void> {
  const wrong = (what: string): void => void tally.faults.set(what, (tally.faults.get(what) ?? 0) + 1);
  const askAs =
    (caller: string): Ask =>
    async (request, expected, options) => {
      const [method = "", path = ""] = request.split(" ");
      tally.callers.set(caller, (tally.callers.get(caller) ?? 0) + 1);
      const answer = await agent.call(method, path, options);
      // Without the parts that differ each time, so that the same fault is one.
      const { code = "", reason = "" } = answer.json ?? {};
      if (!expected.includes(answer.status))
        wrong(`${caller}: ${request} was answered ${answer.status} ${code} ${reason}`);
      return answer;
    };
  const callers: readonly (readonly [string, (ask: Ask, chance: Chance) => Act])[] = [
    ...people.map((one) => [one.role, (ask: Ask, own: Chance) => person(one, ask, own)] as const),
    ...[["API token", program] as const, ["stranger", stranger] as const, ["root", root] as const],
  ];
  const acting = callers.map(async ([name, caller]) => {
    const own = chance.fork();
    const act = caller(askAs(name), own);
    // About what a person with the console, or a monitor, causes.
    for (; !signal.aborted; await delay(40 + draw(own, 120)))
      await act().catch((error) => wrong(`${name}: ${String(error)}`));
  });
  await Promise.all([...acting, readStream(agent, tally, signal, wrong)]);
}

const many = (times: number, request: string): string[] => Array.from({ length: times }, () => request);

/** Requests of each role, the usual ones several times. Fewer than one write a second, which is all that an account may make. */
const acts = {
  admin: [
    ...[...many(6, "GET /api/status"), ...many(3, "GET /api/users?limit=200&sort=-last_login_at")],
    ...[...many(3, "GET /api/updates"), ...many(2, "GET /api/events?limit=50")],
    ...["GET /api/tokens?limit=200", "PUT /api/system", "GET /api/openapi.json"],
  ],
  operator: [
    ...[...many(8, "GET /api/system/time-sync"), ...many(5, "GET /api/logs?limit=100")],
    ...[...many(3, "GET /api/events"), "PUT /api/system"],
  ],
  readonly: [
    ...[...many(5, "GET /api/status"), ...many(2, "GET /api/system/facts"), ...many(2, "GET /api/logs")],
    "GET /api/updates/history",
  ],
} as const;
const changes = { admin: { name: "changed" }, operator: { location: "hall B" }, readonly: {} };

/** Signs in, works, refreshes, signs out, and begins again. */
function person({ username, role }: (typeof people)[number], ask: Ask, chance: Chance): Act {
  let session: Answer["json"] = null;
  const opened = ({ status, json }: Answer) => (status === 200 ? json : null);
  const withToken = () => ({ body: { refresh_token: session.refresh_token } });
  const refresh = async () => opened(await ask("POST /api/auth/refresh", [200], withToken()));
  return async () => {
    // 503: the hashing's places are taken by those who sign in at the same moment.
    if (session === null)
      session = opened(await ask("POST /api/auth/login", [200, 503], { body: { username, password } }));
    else if (draw(chance, 40) > 0) {
      const request = oneOf<string>(chance, acts[role]);
      const body = request.startsWith("PUT") ? { body: { device: changes[role] } } : {};
      await ask(request, [200], { ...body, token: session.access_token });
    } else if (draw(chance, 3) > 0) session = await refresh();
    else {
      await ask("POST /api/auth/logout", [204], withToken());
      session = null;
    }
  };
}

/** A monitor with an API token. */
function program(ask: Ask, chance: Chance): Act {
  let token: string | undefined;
  const paths = ["/api/status", "/api/metrics", "/api/health", "/api/logs?limit=20"];
  return async () => {
    if (token !== undefined) {
      await ask(`GET ${oneOf(chance, paths)}`, [200], { token });
      return;
    }
    const { json: found } = await ask(`GET /api/users?q=${people[2].username}`, [200], { local: true });
    const scopes = ["system:read", "logs:read", "metrics:read"];
    const body = { name: "soak", scopes, user_id: found.items[0].id };
    token = (await ask("POST /api/tokens", [201], { local: true, body })).json.token;
  };
}

/** Guesses and looks around: refused, and slowed down. */
function stranger(ask: Ask, chance: Chance): Act {
  return async () => {
    await delay(320);
    const body = { username: oneOf(chance, ["root", "admin", "guest"]), password: "guess" };
    const from = `10.9.${draw(chance, 8)}.${draw(chance, 250)}`;
    if (draw(chance, 3) === 0) await ask("POST /api/auth/login", [401, 429, 503], { body, from });
    else if (draw(chance, 2) === 0) await ask("GET /api/users", [401]);
    else await ask(`GET ${oneOf(chance, ["/", "/api/version", "/api/health"])}`, [200]);
  };
}

/** Root on the device: looks for updates, polls the time servers, adds and deletes a user. */
function root(ask: Ask, chance: Chance): Act {
  const sent = { body: {}, local: true };
  return async () => {
    await delay(1_000);
    const kind = draw(chance, 3);
    // 429: ten seconds lie between two checks. 409, 503: one server may not be enough, or not answer.
    if (kind === 0) await ask("POST /api/updates/check", [202, 429], sent);
    else if (kind === 1) await ask("POST /api/system/time-sync/reselect", [200, 409, 422, 429, 503], sent);
    else {
      const body = { username: `soak-${draw(chance, 2 ** 31).toString(36)}`, password, role: "readonly" };
      const { status, json } = await ask("POST /api/users", [201], { local: true, body });
      if (status === 201) await ask(`DELETE /api/users/${json.id}`, [204], { local: true });
    }
  };
}

/** Reads the events as root, and takes the stream up where it was every twenty seconds. */
async function readStream(
  { socket }: RunningAgent,
  tally: Tally,
  signal: AbortSignal,
  wrong: (what: string) => void,
): Promise<void> {
  const seen = new Set<string>();
  let last = "";
  while (!signal.aborted) {
    const headers: Record<string, string> = last === "" ? {} : { "last-event-id": last };
    const stream = await openStream({ where: socket, path: "/api/events/stream", headers });
    await Promise.race([stream.ended, delay(20_000, undefined, { signal }).catch(() => undefined)]);
    stream.close();
    if (stream.status !== 200) wrong(`stream: answered ${stream.status} ${stream.text()}`);
    for (const { id, event } of stream.messages) {
      if (event === "gap" || seen.has(id)) wrong("stream: events are missing, or one came twice");
      if (id === "") continue;
      seen.add(id);
      last = id;
    }
  }
  tally.events = seen.size;
}
