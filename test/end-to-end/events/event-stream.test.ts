import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stopWithin } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

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
    const json = await agent.read("/api/events?limit=1");
    return json.items[0].seq;
  };

  const read = (options: { token?: string; headers?: Record<string, string>; path?: string } = {}) =>
    openStream({ where: agent.port, token: admin.token, ...options, path: options.path ?? path });

  it("sends each event as it happens, whole, with its seq as id", async () => {
    const stream = await read();
    const seq = await change("one");
    assert.equal(await stream.until(1), true, "it came");
    const json = await agent.read("/api/events?limit=1");
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

  it("goes on behind Last-Event-ID, which goes before `after`, with no event missing and none twice", async () => {
    const first = await change("two");
    for (const name of ["three", "four"]) await change(name);
    const stream = await read({ path: `${path}?after=0`, headers: { "last-event-id": String(first) } });
    const last = await change("five");
    assert.equal(await stream.until(3), true, "they came");
    const ids = stream.messages.map(({ id }) => Number(id));
    assert.deepEqual(ids, [first + 1, first + 2, last]);
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
    assert.equal(
      await outcome(agent.call("GET", path, { local: true, headers: { "last-event-id": "x1" } })),
      "400 validation_failed",
    );
    assert.equal(
      await outcome(agent.call("GET", path, { local: true, headers: { accept: "application/json" } })),
      "406 not_acceptable",
    );
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
    assert.equal(await outcome(agent.call("GET", path, { token })), "429 rate_limited");
    for (const stream of open) stream.close();
  });
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
