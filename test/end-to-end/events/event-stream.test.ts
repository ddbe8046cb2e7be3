import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stopWithin } from "../../../lab/agents/agent-in-process.ts";
import { type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type OpenedStream, openStream } from "../../../lab/agents/stream-reader.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";

const path = "/api/events/stream";

describe("GET /api/events/stream", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());

  let changes = 0;
  /** Another setting than the time before: what repeats is counted. */
  const change = async (text: string): Promise<number> => {
    changes += 1;
    const body = { device: changes % 2 === 0 ? { name: text } : { location: text } };
    assert.equal((await agent.call("PUT", "/api/system", { token: admin.token, body })).status, 200);
    const { json } = await agent.call("GET", "/api/events?limit=1", { local: true });
    return json.items[0].seq;
  };

  const read = (options: { token?: string; headers?: Record<string, string>; path?: string } = {}) =>
    openStream({ where: agent.port, token: admin.token, ...options, path: options.path ?? path });

  const hasEnded = (stream: OpenedStream): Promise<boolean> => {
    let is = false;
    void stream.ended.then(() => {
      is = true;
    });
    return until("the stream has ended", () => is).then(() => true);
  };

  it("sends each event as it happens, whole, with its seq as id", async () => {
    const stream = await read();
    const seq = await change("one");
    assert.equal(await stream.until(1), true, "it came");
    const { json } = await agent.call("GET", "/api/events?limit=1", { local: true });
    assert.deepEqual(stream.messages, [{ id: String(seq), event: "event", data: json.items[0] }]);
    assert.equal(stream.headers["cache-control"], "no-store");
    stream.close();
  });

  it("sends one that repeats again, without an id: it is counted, and has the number of the first", async () => {
    const stream = await read();
    const body = (name: string) => ({ token: admin.token, body: { device: { contact: name } } });
    for (const name of ["a", "b"])
      assert.equal((await agent.call("PUT", "/api/system", body(name))).status, 200);
    assert.equal(await stream.until(2), true, "they came");
    const [first, second] = stream.messages;
    assert.deepEqual([first?.id === "", second?.id], [false, ""]);
    assert.deepEqual(second?.data, first?.data);
    stream.close();
  });

  it("goes on behind Last-Event-ID, with no event missing and none twice", async () => {
    const first = await change("two");
    for (const name of ["three", "four", "five"]) await change(name);
    const stream = await read({ headers: { "last-event-id": String(first) } });
    const last = await change("six");
    assert.equal(await stream.until(4), true, "they came");
    assert.deepEqual(
      stream.messages.map(({ id }) => Number(id)),
      [first + 1, first + 2, first + 3, last],
    );
    stream.close();
  });

  it("goes on behind `after` too, and Last-Event-ID goes before it", async () => {
    const first = await change("seven");
    await change("eight");
    const stream = await read({
      path: `${path}?after=0&type=settings.changed`,
      headers: { "last-event-id": String(first) },
    });
    assert.equal(await stream.until(1), true, "it came");
    assert.equal(stream.messages[0]?.id, String(first + 1));
    stream.close();
  });

  it("tells a client that names an event beyond the last that events are missing", async () => {
    const stream = await read({ headers: { "last-event-id": "999999" } });
    assert.equal(await stream.until(1), true, "the gap came");
    assert.equal(stream.messages[0]?.event, "gap");
    const seq = await change("nine");
    assert.equal(await stream.until(2), true, "the event came");
    assert.equal(stream.messages[1]?.id, String(seq));
    assert.equal(stream.messages[0]?.data.first_available, seq);
    stream.close();
  });

  it("refuses a Last-Event-ID that is none, and who accepts no event stream", async () => {
    const bad = await agent.call("GET", path, { local: true, headers: { "last-event-id": "x1" } });
    assert.deepEqual([bad.status, bad.json.code], [400, "validation_failed"]);
    const json = await agent.call("GET", path, { local: true, headers: { accept: "application/json" } });
    assert.deepEqual([json.status, json.json.code], [406, "not_acceptable"]);
  });

  it("is not begun for HEAD", async () => {
    const { status, headers, text } = await agent.unchecked("HEAD", path, { local: true });
    assert.deepEqual([status, headers["content-type"], text], [200, "text/event-stream", ""]);
  });

  it("shows an operator the same as the list", async () => {
    const operator = await agent.signedIn("olga", "operator");
    const stream = await read({ token: operator.token });
    await agent.call("POST", "/api/users", { local: true, body: { username: "other", role: "readonly" } });
    const seq = await change("ten");
    // In the order in which they happened: one that it may not see would have come first.
    assert.equal(await stream.until(1), true, "it came");
    assert.deepEqual(
      stream.messages.map(({ id }) => id),
      [String(seq)],
    );
    stream.close();
  });

  it("is served three times a session: the fourth is 429 with Retry-After", async () => {
    const { token } = await agent.signedIn("three-streams", "operator");
    const open = await Promise.all([1, 2, 3].map(() => read({ token })));
    const { status, json } = await agent.call("GET", path, { token });
    assert.deepEqual([status, json.code], [429, "rate_limited"]);
    for (const stream of open) stream.close();
  });

  const ends: [what: string, how: (user: SignedIn) => Promise<unknown>][] = [
    [
      "its session",
      (user) => agent.call("POST", "/api/auth/logout", { body: { refresh_token: user.refreshToken } }),
    ],
    ["its user's access", (user) => put(user, { enabled: false })],
    ["its user's role", (user) => put(user, { role: "readonly" })],
    ["its user's lesser role", (user) => put(user, { role: "admin" })],
    ["its user", (user) => agent.call("DELETE", `/api/users/${user.id}`, { local: true })],
  ];
  const put = (user: SignedIn, body: object) =>
    agent.call("PUT", `/api/users/${user.id}`, { local: true, body });
  for (const [index, [what, how]] of ends.entries()) {
    it(`ends with ${what}`, async () => {
      const user = await agent.signedIn(`user-${index}`, "operator");
      const stream = await read({ token: user.token });
      await how(user);
      assert.equal(await hasEnded(stream), true, "it did not end");
    });
  }
});

describe("a stop of the agent", () => {
  it("ends its streams at once and waits for none of them", async (test) => {
    const agent = await startCheckedAgent();
    const { token } = await agent.signedInAdmin();
    const streams = await Promise.all([
      openStream({ where: agent.port, path, token }),
      openStream({ where: agent.socket, path }),
    ]);
    assert.equal(await stopWithin(test, agent, 1), 0);
    await Promise.all(streams.map(({ ended }) => ended));
    await agent.dispose();
  });
});
