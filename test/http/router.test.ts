import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import Koa from "koa";
import type { Person } from "../../src/accounts/tokens/bearer.ts";
import type { Actor } from "../../src/http/call.ts";
import { createRoutes } from "../../src/http/router.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";

/** No operation of the contract is clock-tolerant yet, so caller and operation are made up here. */
describe("a request with a token whose times were overlooked", () => {
  const events: EventFacts[] = [];
  const account = { id: `usr_${"a".repeat(32)}`, username: "ana", role: "admin" } as Person["account"];
  const person = { kind: "user", account, requiredAction: null, isSteppedUp: false } as const;
  let actor: Actor;
  let server: Server;
  let url: string;
  before(async () => {
    const routes = createRoutes({
      dispatch: {
        authorise: () => undefined,
        run: async () => ({ status: 200, text: "{}", etag: undefined, location: undefined }),
      },
      authenticate: async () => actor,
      events: { record: async (facts) => void events.push(facts), refuse: () => undefined },
      lasting: { begin: () => assert.fail("it does not last") } as never,
      clientOf: () => ({ address: "192.0.2.7", clientKey: "192.0.2.7" }),
      refreshCookie: () => assert.fail("no cookie"),
      isLocal: () => false,
      admit: () => undefined,
    });
    const app = new Koa().use(routes.middleware);
    server = createServer(app.callback()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const called = async (next: object, method: string, path: string): Promise<EventFacts[]> => {
    actor = { ...person, ...next } as Actor;
    events.length = 0;
    const body = method === "GET" ? null : JSON.stringify({ device: { name: "Pump house" } });
    const headers = { "content-type": "application/json" };
    assert.equal((await fetch(url + path, { method, headers, body })).status, 200);
    return [...events];
  };

  it("is an event each, with who, whence and what", async () => {
    const [event, ...more] = await called({ isTolerated: true }, "GET", "/api/system");
    assert.equal(more.length, 0);
    assert.equal(event?.type, "token.tolerated");
    assert.deepEqual(event.actor, { kind: "user", id: account.id, name: "ana" });
    assert.deepEqual([event.from, event.details], ["192.0.2.7", { operation: "getSettings" }]);
  });
  it("is one event also where there is a body, for which the caller is identified twice", async () => {
    assert.equal((await called({ isTolerated: true }, "PUT", "/api/system")).length, 1);
  });
  it("is one of an API token too", async () => {
    const program = { kind: "token", isTolerated: true, token: { name: "fleet", scopes: ["system:read"] } };
    const [event] = await called(program, "GET", "/api/system");
    assert.deepEqual(event?.actor, { kind: "token", id: account.id, name: "ana/fleet" });
  });
  it("is none when nothing was overlooked", async () => {
    assert.deepEqual(await called({ isTolerated: false }, "GET", "/api/system"), []);
    assert.deepEqual(await called({ kind: "local-root" }, "GET", "/api/system"), []);
  });
});
