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
import type { Need, Status } from "../../src/contract/types.ts";
import { createStatusHandlers } from "../../src/http/handlers/status.ts";
import type { EventQuery } from "../../src/journal/events/event-pages.ts";

describe("the status of a device with something to see to", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  const reader = ofSuite(() => agent.signedIn("reader", "readonly"));
  before(async () => {
    // The first poll ends by itself soon after the start, and would fall between two looks that are compared.
    await until("the clock's first poll", async () => (await look()).clock.state === "unsynchronised");
  });

  const look = async (token?: string) => {
    const by = token === undefined ? { local: true } : { token };
    const { status, json, text } = await agent.call("GET", "/api/status", by);
    assert.equal(status, 200, text);
    return json;
  };
  const need = async (code: string, token?: string): Promise<Need | undefined> =>
    (await look(token)).needs.find((one: Need) => one.code === code);
  const tokenFor = async (scopes: string[], expires_in: string): Promise<string> => {
    const body = { name: "monitor", scopes, expires_in };
    return (await agent.call("POST", "/api/tokens", { token: admin.token, body })).json.token;
  };

  it("ends with the latest events, for those who may see them", async () => {
    assert.equal((await look(reader.token)).latest, null);
    const { latest } = await look(admin.token);
    const page = await agent.call("GET", "/api/events?limit=5", { token: admin.token });
    assert.deepEqual(latest, page.json.items);
    assert.ok(latest.length > 0, "nothing has happened");
  });

  it("names to root who has no second factor and must, and counts the tokens that are refused", async () => {
    await tokenFor(["system:read"], "90d");
    const policy = (require_2fa: string) =>
      agent.call("PUT", "/api/system", { local: true, body: { security: { require_2fa } } });
    await policy("admins");
    const found = await need("two_factor_missing");
    await policy("none");
    assert.deepEqual(found?.facts, { count: 1, tokens: 1, users: [adminName] });
    assert.equal(await need("two_factor_missing"), undefined);
  });

  for (const [path, changed] of [
    ["/api/status", { device: { name: "pump-8" } }],
    ["/api/updates", { update: { ota: { channel: "beta" } } }],
  ] as const) {
    it(`${path} is answered with 304 while only figures of the moment change, and anew after a change`, async () => {
      const read = (etag?: unknown) =>
        agent.call("GET", path, {
          token: admin.token,
          ...(etag !== undefined && { headers: { "if-none-match": String(etag) } }),
        });
      const first = await read();
      assert.match(String(first.headers.etag), /^W\/"/);
      for (let again = 0; again < 3; again += 1) {
        const { status, text, headers } = await read(first.headers.etag);
        assert.deepEqual([status, text, headers.etag], [304, "", first.headers.etag]);
      }
      assert.equal((await agent.call("PUT", "/api/system", { local: true, body: changed })).status, 200);
      const second = await read(first.headers.etag);
      assert.equal(second.status, 200);
      assert.notEqual(second.headers.etag, first.headers.etag);
      assert.equal((await read('"another"')).status, 200);
    });
  }

  describe("as metrics", () => {
    const scrape = async (sent: CallOptions) => {
      const { status, text } = await agent.call("GET", "/api/metrics", sent);
      assert.equal(status, 200, text);
      return samplesOf(text);
    };

    it("has the same figures, for a token of its own scope", async () => {
      const samples = await scrape({ token: await tokenFor(["metrics:read"], "1d") });
      const { people, clock, state, needs, version } = await look();
      const of = (name: string) => samples.get(name);
      assert.equal(of("steward_accounts"), people.accounts);
      assert.equal(of("steward_api_tokens"), people.tokens);
      assert.equal(of(`steward_device_state{state="${state}"}`), 1);
      assert.equal(of(`steward_clock_state{state="${clock.state}"}`), 1);
      assert.equal(of("steward_clock_offset_seconds"), clock.offset_seconds ?? undefined);
      assert.equal(of("steward_clock_authenticated"), clock.authenticated ? 1 : 0);
      // No server is set here.
      assert.equal(of("steward_clock_authenticated_sources"), 0);
      const told = needCodes.filter((code) => of(`steward_need{code="${code}"}`) === 1);
      assert.deepEqual(
        told,
        needCodes.filter((code) => needs.some((need: Need) => need.code === code)),
      );
      assert.ok(
        [...samples.keys()].some((name) => name.startsWith(`steward_build_info{version="${version}"`)),
      );
    });

    it("names no metric that the contract does not have, and has a help and a type for each", async () => {
      const { text, headers } = await agent.call("GET", "/api/metrics", { token: reader.token });
      assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
      const typed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type]) => [name, type]);
      const families = Object.entries(metricFamilies).map(([name, { type }]) => [name, type]);
      const isAbsent = ([name = ""]: readonly (string | undefined)[]) => !typed.some(([one]) => one === name);
      assert.deepEqual(
        typed,
        families.filter((family) => !isAbsent(family)),
      );
      // This device does not know these, having asked no server for the time or for updates, and having no receiver, no applied file and no backup. Its event loop may have
      // been measured since the first scrape.
      const absent = families.filter(isAbsent).map(([name = ""]) => name);
      assert.deepEqual(
        absent.filter((name) => !name.startsWith("nodejs_eventloop_lag_")),
        [
          "steward_configuration_drift",
          "steward_backup_last_timestamp_seconds",
          "steward_clock_offset_seconds",
          "steward_clock_uncertainty_seconds",
          "steward_clock_last_sync_age_seconds",
          "steward_update_available_info",
          "steward_update_last_check_timestamp_seconds",
          "steward_update_last_success_timestamp_seconds",
          "steward_update_last_check_outcome",
          "steward_update_root_expiry_timestamp_seconds",
          "steward_https_certificate_expiry_timestamp_seconds",
          "steward_api_tokens_next_expiry_timestamp_seconds",
          "steward_receiver_waiting_events",
          "steward_receiver_failing_seconds",
          "steward_receiver_refused_events",
          "steward_receiver_last_success_timestamp_seconds",
        ],
      );
    });

    it("counts sign-ins by their outcome, and what else happens", async () => {
      const before = await scrape({ local: true });
      await agent.login("reader", goodPassword);
      const body = { username: "reader", password: "not the password" };
      assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 401);
      const after = await scrape({ local: true });
      const more = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
      assert.equal(more('steward_sign_ins_total{outcome="succeeded"}'), 1);
      assert.equal(more('steward_sign_ins_total{outcome="invalid_credentials"}'), 1);
      assert.equal(more('steward_events_total{type="sign_in.refused"}'), 1);
      const login = 'method="POST",route="/api/auth/login"';
      assert.equal(more(`steward_http_requests_total{${login},status="200"}`), 1);
      assert.equal(more(`steward_http_requests_total{${login},status="401"}`), 1);
      assert.equal(more('steward_http_request_duration_seconds_count{group="auth"}'), 2);
      assert.equal(more("steward_sessions"), 1);
    });

    it("makes no series of what a stranger sends: path, method, user name, headers", async () => {
      const attack = async (word: string): Promise<void> => {
        for (const path of [`/${word}`, `/api/${word}`, `/api/users/${word}`, `/api/version?${word}=1`]) {
          for (const method of ["GET", "POST", "PROPFIND"]) {
            await agent.call(method, path, { headers: { "user-agent": word, accept: "*/*" } });
          }
        }
        const body = { username: word, password: word };
        await agent.call("POST", "/api/auth/login", { body });
      };
      await attack("zebra");
      const before = await scrape({ local: true });
      await attack("okapi");
      const after = await scrape({ local: true });
      const named = (samples: ReadonlyMap<string, number>) =>
        [...samples.keys()].filter((name) => !name.startsWith("nodejs_eventloop_lag_"));
      assert.deepEqual(named(after), named(before));
      assert.ok(![...after.keys()].some((name) => /zebra|okapi|PROPFIND/.test(name)));
      for (const method of ["GET", "POST", "other"]) {
        const none = `steward_http_requests_total{method="${method}",route="none",status="404"}`;
        assert.ok((after.get(none) ?? 0) > (before.get(none) ?? 0), none);
      }
    });

    it("answers HEAD without a body, any Accept with the text of Prometheus, and refuses strangers and other scopes", async () => {
      const ask = (sent: CallOptions, method = "GET") => agent.call(method, "/api/metrics", sent);
      const head = await ask({ token: reader.token }, "HEAD");
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.deepEqual([(await ask({})).status, (await ask({})).json.code], [401, "authentication_required"]);
      assert.equal(
        await outcome(ask({ token: await tokenFor(["system:read"], "1d") })),
        "403 insufficient_scope",
      );
      // As Prometheus 2.42 and 3.5 send it, and as it is without their last resort.
      for (const accept of [
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
        "text/plain;version=0.0.4;charset=us-ascii",
        "application/json",
        "",
      ]) {
        const { status, headers } = await ask({ token: reader.token, headers: { accept } });
        const form = "text/plain; version=0.0.4; charset=utf-8";
        assert.deepEqual([status, headers["content-type"]], [200, form], accept);
      }
      assert.equal((await ask({ token: reader.token }, "POST")).status, 405);
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
    [
      "an administrator's token for users:read",
      token("admin", "system:read", "users:read"),
      true,
      false,
      null,
    ],
    ["an administrator's token without users:read", token("admin", "system:read"), false, false, null],
    ["the users:read token of a former administrator", token("operator", "users:read"), false, false, null],
  ];
  for (const [who, actor, names, path, events] of callers)
    it(`${who}: ${names ? "" : "no "}names of users, the server's ${path ? "path" : "origin"}, events: ${events}`, async () => {
      asked = null;
      const text = JSON.stringify(await getStatus({ actor } as Parameters<typeof getStatus>[0]));
      assert.equal(namesUsers, names);
      assert.match(
        text,
        path ? /updates\.example\.net\/demo"/ : /"https:\/\/updates\.example\.net\/…[0-9a-f]{4}"/,
      );
      const personId = events === "all" ? undefined : events;
      assert.deepEqual(asked, events === null ? null : { limit: 5, personId });
      assert.deepEqual(JSON.parse(text).latest, events === null ? null : []);
    });
});
