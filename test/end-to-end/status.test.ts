import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { adminName, type CallOptions, outcome } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { samplesOf } from "../../lab/basics/metrics-samples.ts";
import { until } from "../../lab/basics/until.ts";
import { exampleUpdates } from "../../lab/command-line/example-updates.ts";
import { metricFamilies } from "../../src/contract/metrics.ts";
import { needCodes } from "../../src/contract/need-areas.ts";
import type { Status } from "../../src/contract/types.ts";
import { createStatusHandlers } from "../../src/http/handlers/status.ts";
import type { EventQuery } from "../../src/journal/events/event-pages.ts";

describe("the status of a device with something to see to", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  const reader = ofSuite(() => agent.signedIn("reader", "readonly"));
  const look = async (by: CallOptions = { local: true }): Promise<Status> =>
    (await agent.call("GET", "/api/status", by)).json;
  const set = async (body: object) =>
    assert.equal((await agent.call("PUT", "/api/system", { local: true, body })).status, 200);
  const tokenFor = async (scope: string): Promise<string> => {
    const body = { name: "monitor", scopes: [scope], expires_in: "1d" };
    return (await agent.call("POST", "/api/tokens", { token: admin.token, body })).json.token;
  };
  // The first poll ends by itself soon after the start, and would fall between two looks that are compared.
  before(() => until("the clock's first poll", async () => (await look()).clock.state === "unsynchronised"));

  it("ends with the latest events, for those who may see them", async () => {
    assert.equal((await look(reader)).latest, null);
    const { latest } = await look(admin);
    assert.deepEqual(latest, (await agent.read("/api/events?limit=5")).items);
    assert.ok(latest?.length, "nothing has happened");
  });

  it("names to root who has no second factor and must, and counts the tokens that are refused", async () => {
    await tokenFor("system:read");
    const need = async () => (await look()).needs.find(({ code }) => code === "two_factor_missing");
    await set({ security: { require_2fa: "admins" } });
    assert.deepEqual((await need())?.facts, { count: 1, tokens: 1, users: [adminName] });
    await set({ security: { require_2fa: "none" } });
    assert.equal(await need(), undefined);
  });

  for (const [path, changed] of [
    ["/api/status", { device: { name: "pump-8" } }],
    ["/api/updates", { update: { ota: { channel: "beta" } } }],
  ] as const)
    it(`${path} is answered with 304 while only figures of the moment change, and anew after a change`, async () => {
      const read = async (etag?: string) => {
        const headers: Record<string, string> = etag === undefined ? {} : { "if-none-match": etag };
        const answer = await agent.call("GET", path, { token: admin.token, headers });
        return [answer.status, String(answer.headers.etag)] as const;
      };
      const [, etag] = await read();
      for (let again = 0; again < 3; again += 1) assert.deepEqual(await read(etag), [304, etag]);
      await set(changed);
      const [status, next] = await read(etag);
      assert.deepEqual([status, next === etag], [200, false]);
    });

  describe("as metrics", () => {
    const form = "text/plain; version=0.0.4; charset=utf-8";
    const scrape = async (sent: CallOptions = { local: true }) =>
      samplesOf((await agent.call("GET", "/api/metrics", sent)).text);

    it("has the same figures, for a token of its own scope", async () => {
      const samples = await scrape({ token: await tokenFor("metrics:read") });
      const { people, clock, state, needs, version } = await look();
      for (const [name, value] of [
        ["accounts", people?.accounts],
        ["api_tokens", people?.tokens],
        [`device_state{state="${state}"}`, 1],
        [`clock_state{state="${clock.state}"}`, 1],
        ["clock_offset_seconds", clock.offset_seconds ?? undefined],
        ["clock_authenticated", clock.authenticated ? 1 : 0],
      ] as const)
        assert.equal(samples.get(`steward_${name}`), value, name);
      for (const code of needCodes) {
        const isThere = needs.some((need) => need.code === code);
        assert.equal(samples.get(`steward_need{code="${code}"}`) === 1, isThere, code);
      }
      const build = `steward_build_info{version="${version}"`;
      assert.ok([...samples.keys()].some((name) => name.startsWith(build)));
    });

    it("names no metric that the contract does not have, and has a help and a type for each", async () => {
      const { text, headers } = await agent.call("GET", "/api/metrics", { token: reader.token });
      assert.equal(headers["content-type"], form);
      const typed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
      const families = Object.entries(metricFamilies).map(([name, { type }]) => `${name} ${type}`);
      const declared = families.filter((family) => typed.includes(family));
      assert.deepEqual(typed, declared);
    });

    it("counts sign-ins by their outcome, and what else happens", async () => {
      const before = await scrape();
      await agent.login("reader", goodPassword);
      const body = { username: "reader", password: "not the password" };
      assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 401);
      const after = await scrape();
      const login = 'method="POST",route="/api/auth/login"';
      for (const [name, more] of [
        ['sign_ins_total{outcome="succeeded"}', 1],
        ['sign_ins_total{outcome="invalid_credentials"}', 1],
        ['events_total{type="sign_in.refused"}', 1],
        [`http_requests_total{${login},status="200"}`, 1],
        [`http_requests_total{${login},status="401"}`, 1],
        ['http_request_duration_seconds_count{group="auth"}', 2],
        ["sessions", 1],
      ] as const)
        assert.equal((after.get(`steward_${name}`) ?? 0) - (before.get(`steward_${name}`) ?? 0), more, name);
    });

    it("makes no series of what a stranger sends: path, method, user name, headers", async () => {
      const attack = async (word: string): Promise<void> => {
        for (const path of [`/${word}`, `/api/${word}`, `/api/users/${word}`, `/api/version?${word}=1`])
          for (const method of ["GET", "POST", "PROPFIND"])
            await agent.call(method, path, { headers: { "user-agent": word, accept: "*/*" } });
        await agent.call("POST", "/api/auth/login", { body: { username: word, password: word } });
      };
      await attack("zebra");
      const before = await scrape();
      await attack("okapi");
      const after = await scrape();
      const named = (samples: ReadonlyMap<string, number>) =>
        [...samples.keys()].filter((name) => !name.startsWith("nodejs_eventloop_lag_"));
      assert.deepEqual(named(after), named(before));
      assert.doesNotMatch(named(after).join(), /zebra|okapi|PROPFIND/);
      for (const method of ["GET", "POST", "other"]) {
        const none = `steward_http_requests_total{method="${method}",route="none",status="404"}`;
        assert.ok((after.get(none) ?? 0) > (before.get(none) ?? 0), none);
      }
    });

    it("answers HEAD without a body, any Accept with the text of Prometheus, and refuses strangers and other scopes", async () => {
      const ask = (sent: CallOptions, method = "GET") => agent.call(method, "/api/metrics", sent);
      const head = await ask(reader, "HEAD");
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(await outcome(ask({})), "401 authentication_required");
      assert.equal(await outcome(ask({ token: await tokenFor("system:read") })), "403 insufficient_scope");
      for (const accept of [
        // As Prometheus sends it, without its last resort.
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75",
        "application/json",
        "",
      ]) {
        const { status, headers } = await ask({ token: reader.token, headers: { accept } });
        assert.deepEqual([status, headers["content-type"]], [200, form], accept);
      }
      assert.equal((await ask(reader, "POST")).status, 405);
    });
  });
});

describe("who sees what in the status", () => {
  const updates = exampleUpdates({ schedule: { server: "https://updates.example.net/demo" } });
  let [namesUsers, asked]: [boolean, EventQuery | null] = [false, null];
  const { getStatus } = createStatusHandlers({
    updates: { status: () => updates },
    requireReady: async () => undefined,
    health: () => Promise.reject(new Error("not asked for here")) as never,
    events: {
      list: async (query) => {
        asked = query;
        return { items: [], total: 0, next_cursor: null, reach: { chain_from: 1, complete_since: null } };
      },
    },
    status: async (seen) => {
      namesUsers = seen.mayNameUsers;
      return { ...({} as Status), latest: seen.latest, seen: seen.updates };
    },
  });
  const user = (role: string) => ({ kind: "user", account: { role, id: "7" } });
  const token = (role: string, ...scopes: string[]) => ({ ...user(role), kind: "token", token: { scopes } });

  /** The names of users, the path of the update server, and which of the newest events. */
  const callers: [who: string, actor: object, names: boolean, path: boolean, events: string | null][] = [
    ["local root", { kind: "local-root" }, true, true, "all"],
    ["an administrator", user("admin"), true, true, "all"],
    ["an operator", user("operator"), false, false, "7"],
    ["a readonly user", user("readonly"), false, false, null],
    ["a token for users:read", token("admin", "system:read", "users:read"), true, false, null],
    ["a token without users:read", token("admin", "system:read"), false, false, null],
    ["the users:read token of a former administrator", token("operator", "users:read"), false, false, null],
  ];
  for (const [who, actor, names, path, events] of callers)
    it(`${who}: ${names ? "" : "no "}names of users, the server's ${path ? "path" : "origin"}, events: ${events}`, async () => {
      asked = null;
      const text = JSON.stringify(await getStatus({ actor } as Parameters<typeof getStatus>[0]));
      assert.equal(namesUsers, names);
      assert.match(text, path ? /example\.net\/demo"/ : /"https:\/\/updates\.example\.net\/…[0-9a-f]{4}"/);
      const personId = events === "all" ? undefined : events;
      assert.deepEqual(asked, events === null ? null : { limit: 5, personId });
      assert.deepEqual(JSON.parse(text).latest, events === null ? null : []);
    });
});
