import assert from "node:assert/strict";
import { dirname } from "node:path";
import { after, before, describe, it } from "node:test";
import { writeCommand } from "../host/journal.ts";
import { type CheckedAgent, type SignedIn, startCheckedProcess } from "../http/checked-agent.ts";
import { type OpenedStream, openStream } from "../http/stream-reader.ts";
import { becomes } from "../store/state-directory.ts";

describe("GET /api/logs/stream", () => {
  let agent: CheckedAgent;
  let admin: SignedIn;
  let reader: SignedIn;
  before(async () => {
    // Whatever this machine's own journal holds: without one it is the agent's own lines.
    const journalctl = writeCommand({ after }, "journalctl", "exit 1");
    agent = await startCheckedProcess({
      environment: { PATH: `${dirname(journalctl)}:${process.env.PATH}` },
    });
    admin = await agent.signedInAdmin();
    reader = await agent.signedIn("log-reader", "readonly");
  });
  after(() => agent.dispose());

  const read = (token: string, query = "", headers: Record<string, string> = {}) =>
    openStream({ where: agent.port, token, path: `/api/logs/stream${query}`, headers });

  const rename = async (name: string): Promise<void> => {
    const body = { device: { name } };
    assert.equal((await agent.call("PUT", "/api/system", { token: admin.token, body })).status, 200);
  };

  const messagesOf = (stream: OpenedStream) => stream.messages.map(({ data }) => data.message);

  it("gives an administrator each line as it is written, audit lines too", async () => {
    const stream = await read(admin.token);
    await rename("one");
    assert.ok(await becomes(() => messagesOf(stream).includes("settings.changed"), 4), "it came");
    assert.ok(
      stream.messages.every(({ id, event, data }) => event === "log" && id === data.cursor),
      "each message has its line's cursor for an id",
    );
    stream.close();
  });

  it("gives a reader what is no audit line alone, from `since` on", async () => {
    const stream = await read(reader.token, "?since=1h");
    await rename("two");
    assert.ok(await becomes(() => messagesOf(stream).includes("listening"), 4), "it came");
    assert.equal(await becomes(() => stream.messages.some(({ data }) => data.audit === true), 1), false);
    assert.ok(!messagesOf(stream).includes("settings.changed"), "no audit line");
    stream.close();
  });

  it("goes on behind Last-Event-ID, with no line missing and none twice", async () => {
    const first = await read(admin.token, "?q=settings.changed");
    await rename("three");
    assert.ok(await becomes(() => first.messages.length === 1, 4), "it came");
    const id = first.messages[0]?.id ?? "";
    first.close();
    await rename("four");
    await rename("five");
    const second = await read(admin.token, "?q=settings.changed", { "last-event-id": id });
    assert.ok(await becomes(() => second.messages.length >= 2, 4), "they came");
    assert.equal(await becomes(() => second.messages.length > 2, 0.5), false);
    second.close();
  });

  it("ends when its session does", async () => {
    const { token, refreshToken } = await agent.login("log-reader", "quiet otters borrow umbrellas");
    const stream = await read(token);
    let hasEnded = false;
    void stream.ended.then(() => {
      hasEnded = true;
    });
    await agent.call("POST", "/api/auth/logout", { body: { refresh_token: refreshToken } });
    assert.ok(await becomes(() => hasEnded, 4), "it ended");
  });
});
