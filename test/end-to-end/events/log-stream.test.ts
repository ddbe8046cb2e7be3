import assert from "node:assert/strict";
import { dirname } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CheckedAgent, type SignedIn, startCheckedProcess } from "../../../lab/agents/checked-agent.ts";
import { type OpenedStream, openStream } from "../../../lab/agents/stream-reader.ts";
import { until } from "../../../lab/basics/until.ts";
import { writeCommand } from "../../../lab/host/journal.ts";

describe("GET /api/logs/stream", () => {
  let agent: CheckedAgent;
  let admin: SignedIn;
  before(async () => {
    // Whatever this machine's own journal holds: without one it is the agent's own lines.
    const journalctl = writeCommand({ after }, "journalctl", "exit 1");
    agent = await startCheckedProcess({
      environment: { PATH: `${dirname(journalctl)}:${process.env.PATH}` },
    });
    admin = await agent.signedInAdmin();
    await agent.signedIn("log-reader", "readonly");
  });
  after(() => agent.dispose());

  const read = (token: string, query = "", headers: Record<string, string> = {}) =>
    openStream({ where: agent.port, token, path: `/api/logs/stream${query}`, headers });

  let changes = 0;
  /** Another setting than the time before: what repeats is counted. */
  const change = async (text: string): Promise<void> => {
    changes += 1;
    const body = { device: changes % 2 === 0 ? { name: text } : { location: text } };
    assert.equal((await agent.call("PUT", "/api/system", { token: admin.token, body })).status, 200);
  };

  const messagesOf = (stream: OpenedStream) => stream.messages.map(({ data }) => data.message);

  it("gives an administrator each line as it is written, audit lines too", async () => {
    const stream = await read(admin.token);
    await change("one");
    await until("it came", () => messagesOf(stream).includes("settings.changed"));
    assert.ok(
      stream.messages.every(({ id, event, data }) => event === "log" && id === data.cursor),
      "each message has its line's cursor for an id",
    );
    stream.close();
  });

  it("gives a reader only lines that are not audit lines, from `since` on", async () => {
    const { token, refreshToken } = await agent.login("log-reader", "quiet otters borrow umbrellas");
    const stream = await read(token, "?since=1h");
    await change("two");
    await until("it came", () => messagesOf(stream).includes("listening"));
    // Whatever was sent comes before the end.
    await agent.call("POST", "/api/auth/logout", { body: { refresh_token: refreshToken } });
    await stream.ended;
    assert.deepEqual(
      stream.messages.filter(({ data }) => data.audit === true),
      [],
    );
    assert.ok(!messagesOf(stream).includes("settings.changed"), "no audit line");
  });

  it("goes on behind Last-Event-ID, with no line missing and none twice", async () => {
    const first = await read(admin.token, "?q=settings.changed");
    await change("three");
    await until("it came", () => first.messages.length === 1);
    const id = first.messages[0]?.id ?? "";
    first.close();
    await change("four");
    await change("five");
    const second = await read(admin.token, "?q=settings.changed", { "last-event-id": id });
    await until("they came", () => second.messages.length >= 2);
    await change("six");
    const newest = await agent.call("GET", "/api/logs?q=settings.changed&limit=1", { local: true });
    await until("the newest came", () => second.messages.at(-1)?.id === newest.json.items[0].cursor);
    assert.equal(second.messages.length, 3, "four, five and six");
    second.close();
  });
});
