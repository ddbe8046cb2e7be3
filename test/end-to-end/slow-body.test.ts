import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { openSilently, requestText } from "../../lab/agents/raw-http.ts";
import { stepUp } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";

const body = JSON.stringify({ username: "intruder", role: "admin", password: goodPassword });

describe("a request whose body is slow", () => {
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());

  /** Sends the headers and half of the body, does `meanwhile`, sends the rest, and gives the first line of the answer. */
  const answerTo = async (token: string | undefined, meanwhile: () => Promise<unknown>) => {
    const socket = await openSilently(agent.port);
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    if (token !== undefined) headers.push(`Authorization: Bearer ${token}`);
    socket.write(requestText("POST /api/users", headers, body.slice(0, 20)));
    // The agent has read this much when it has answered a client that came later.
    await agent.call("GET", "/api/health");
    await meanwhile();
    socket.on("error", () => undefined);
    socket.write(body.slice(20));
    const text = await answer;
    socket.destroy();
    return { line: text.split("\r\n", 1)[0], text };
  };
  const names = async () => {
    const json = await agent.read("/api/users");
    return json.items.map(({ username }: { username: string }) => username);
  };

  it("is refused when its sender was shut out while it was on its way", async () => {
    const second = { username: "second-admin", role: "admin", password: goodPassword };
    const { json } = await agent.call("POST", "/api/users", { body: second, local: true });
    const { token } = await agent.login("second-admin", goodPassword);
    await stepUp(agent.call, token, goodPassword);
    const { line, text } = await answerTo(token, () =>
      agent.call("PUT", `/api/users/${json.id}`, { body: { enabled: false }, local: true }),
    );
    assert.equal(line, "HTTP/1.1 401 Unauthorized");
    assert.match(text, /"reason":"revoked"/);
    assert.deepEqual(await names(), ["root-admin", "second-admin"]);
  });

  it("of a stranger is not waited for: the refusal comes before the body", async () => {
    const socket = await openSilently(agent.port);
    const headers = ["Content-Type: application/json", "Content-Length: 60000"];
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.write(requestText("POST /api/users", headers, "{"));
    const text = await answer;
    socket.destroy();
    assert.match(text, /^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/);
    assert.match(text, /"code":"authentication_required"/);
  });
});
