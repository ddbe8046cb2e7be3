import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { goodPassword, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { openSilently, requestText } from "../../lab/agents/raw-http.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { type OperationId, operationIds, operationOf } from "../../src/contract/operations.ts";

/** Bytes that Node takes from a socket at once, by itself as long as fewer of a body wait. */
const oneRead = 65_536;

/** Bytes that the stranger sends at most: an agent that has not ended the connection by then reads on. */
const mostSent = 64 * oneRead;

const takesBody = operationIds.filter((id) => operationOf(id).body ?? operationOf(id).upload);

describe("a stranger's body that never ends", () => {
  const setUp = ofSuite(() => startAgentInProcess());
  const fresh = ofSuite(() => startAgentInProcess());
  before(() => setUp.signedInAdmin());

  /** The agent's side of the newest connection. */
  let served: Socket | undefined;
  const noteSocket = (message: unknown): void => {
    served = (message as { socket: Socket }).socket;
  };
  before(() => subscribe("net.server.socket", noteSocket));
  after(() => void unsubscribe("net.server.socket", noteSocket));

  /** The status of the answer, and the bytes that the agent has read when it has ended the connection. */
  const sentTo = async (port: number, id: OperationId) => {
    const { method, path, upload } = operationOf(id);
    const where = path.replace(/\{(?:name|id|sid|passkey)\}/g, `usr_${"0".repeat(32)}`);
    const socket = await openSilently(port);
    const own = served;
    assert.ok(own, "the agent's side");
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    const ended = new Promise((resolve) => socket.on("error", resolve).once("close", resolve));
    const type = `Content-Type: application/${upload ? "octet-stream" : "json"}`;
    socket.write(requestText(`${method} ${where}`, [type, "Transfer-Encoding: chunked"]));
    const piece = `10000\r\n${" ".repeat(oneRead)}\r\n`;
    let sent = 0;
    const send = (): void => {
      for (sent += oneRead; socket.write(piece) && sent < mostSent; sent += oneRead);
      if (sent >= mostSent) socket.off("drain", send).once("drain", () => socket.destroy());
    };
    socket.on("drain", send);
    send();
    await ended;
    socket.destroy();
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), bytes: own.bytesRead };
  };

  for (const [which, agent] of [
    ["in use", setUp],
    ["without an administrator", fresh],
  ] as const)
    for (const id of takesBody)
      it(`of ${id} is refused before more than a buffer of it is read, by a device ${which}`, async () => {
        const { status, bytes } = await sentTo(agent.port, id);
        assert.match(String(status), /^(401|403|409|413|503)$/);
        assert.ok(bytes <= 2 * oneRead, `${bytes} bytes were read`);
      });
});

describe("a request whose body is slow", () => {
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());

  it("is refused when its sender was shut out while it was on its way", async () => {
    const { id, token } = await agent.signedIn("second-admin", "admin");
    const socket = await openSilently(agent.port);
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    const body = JSON.stringify({ username: "intruder", role: "admin", password: goodPassword });
    const own = [`Content-Length: ${body.length}`, `Authorization: Bearer ${token}`];
    const headers = ["Content-Type: application/json", ...own];
    socket.write(requestText("POST /api/users", headers, body.slice(0, 20)));
    // The agent has read this much when it has answered a client that came later.
    await agent.call("GET", "/api/health");
    await agent.call("PUT", `/api/users/${id}`, { body: { enabled: false }, local: true });
    socket.on("error", () => undefined);
    socket.write(body.slice(20));
    assert.match(await answer, /^HTTP\/1\.1 401 Unauthorized\r\n.*"reason":"revoked"/s);
    socket.destroy();
    assert.equal((await agent.read("/api/users")).total, 2);
  });
});
