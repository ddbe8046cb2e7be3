import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

const path = "/api/events/stream";

describe("GET /api/events/stream", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());

  const newest = async () => (await agent.read("/api/events?limit=1")).items[0];
  let changes = 0;
  /** Another setting than the time before: what repeats is counted. */
  const change = async (): Promise<number> => {
    changes += 1;
    const body = { device: { [changes % 2 === 0 ? "name" : "location"]: `change ${changes}` } };
    assert.equal((await agent.call("PUT", "/api/system", { token: admin.token, body })).status, 200);
    return (await newest()).seq;
  };
  const read = ({ token = admin.token, lastId = "", query = "" } = {}) => {
    const headers: Record<string, string> = lastId ? { "last-event-id": lastId } : {};
    return openStream({ where: agent.port, path: `${path}${query}`, token, headers });
  };

  it("sends each event as it happens, whole, with its seq as id, and one that repeats again without", async () => {
    const stream = await read();
    assert.equal(stream.headers["cache-control"], "no-store");
    const seq = await change();
    await stream.until(1);
    assert.deepEqual(stream.messages, [{ id: String(seq), event: "event", data: await newest() }]);
    // It is counted, and has the number of the first.
    for (const contact of ["a", "b"])
      await agent.call("PUT", "/api/system", { token: admin.token, body: { device: { contact } } });
    await stream.until(3);
    const [, first, second] = stream.messages;
    assert.deepEqual([first?.id === "", second?.id], [false, ""]);
    assert.deepEqual(second?.data, first?.data);
    stream.close();
  });

  it("goes on behind Last-Event-ID, which goes before `after`, with no event missing and none twice", async () => {
    const first = await change();
    for (const _ of ["second", "third"]) await change();
    const stream = await read({ query: "?after=0", lastId: String(first) });
    const last = await change();
    await stream.until(3);
    const ids = stream.messages.map(({ id }) => Number(id));
    assert.deepEqual(ids, [first + 1, first + 2, last]);
    stream.close();
  });

  it("tells a client that names an event beyond the last that events are missing", async () => {
    const stream = await read({ lastId: "999999" });
    await stream.until(1);
    const seq = await change();
    await stream.until(2);
    const [gap, next] = stream.messages;
    assert.deepEqual([gap?.event, gap?.data.first_available, next?.id], ["gap", seq, String(seq)]);
    stream.close();
  });

  it("refuses a Last-Event-ID that is none, and who accepts no event stream", async () => {
    const ask = (headers: Record<string, string>) =>
      outcome(agent.call("GET", path, { token: admin.token, headers }));
    assert.equal(await ask({ "last-event-id": "x1" }), "400 validation_failed");
    assert.equal(await ask({ accept: "application/json" }), "406 not_acceptable");
  });

  it("shows an operator the same as the list", async () => {
    const { token } = await agent.signedIn("olga", "operator");
    const stream = await read({ token });
    await agent.call("POST", "/api/users", { local: true, body: { username: "other", role: "readonly" } });
    const seq = await change();
    // In the order in which they happened: one that it may not see would have come first.
    await stream.until(1);
    const ids = stream.messages.map(({ id }) => id);
    assert.deepEqual(ids, [String(seq)]);
    stream.close();
  });
});
