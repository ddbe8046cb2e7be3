import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CheckedAgent, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { runSteward } from "../../lab/command-line/run-steward.ts";
import { listening, startRawServer, startWebServer, type WebServer } from "../../lab/host/web-server.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

const etc = scratchDirectory();

/** A server of another protocol, which speaks first. */
function startSsh(): Promise<WebServer> {
  return listening(createServer((socket) => void socket.end("SSH-2.0-x\r\n")) as never, "tcp", []);
}

/** Each receiver by its name, and the words of the need about the way in which it takes nothing. */
const ways: Readonly<Record<string, RegExp>> = {
  away: /nothing listens there\. Nothing was sent/,
  plain: /it does not speak TLS there/,
  closes: /did not answer in full: it closed the connection/,
  other: /its answer cannot be read as HTTP/,
  secret: /answered 401 Unauthorized.*compare the secret at both ends/,
  path: /answered 404 Not Found.*Nothing receives messages at this address/,
  moved: /answered 308 Permanent Redirect.*set the address that it leads to/,
  mail: /it does not answer as a mail server does/,
  otlp: /answered 400 Bad Request\. That is not the answer of an OTLP collector/,
  syslog: /it closed the connection\. Nothing was sent/,
};

describe("receivers that take nothing for an hour", () => {
  const time = passingTime();
  const servers: WebServer[] = [];
  let agent: CheckedAgent;
  let receivers: readonly object[];
  before(async () => {
    const raw = async (words: string) => {
      const server = await startRawServer((socket) => void socket.end(words));
      servers.push(server);
      return server;
    };
    const [ssh, closing, speaking] = [await raw("SSH-2.0-x\r\n"), await raw(""), await startSsh()];
    const statuses = await startWebServer(
      ({ url = "" }, response) => void response.writeHead(Number(url.slice(1))).end(),
    );
    const proxy = await startWebServer(
      (_, response) => void response.writeHead(400).end("<title>400</title>"),
    );
    servers.push(statuses, proxy, speaking);
    const hook = (name: string, url: string) => ({ name, kind: "webhook", url, takes: "all" });
    receivers = [
      hook("away", `https://127.0.0.1:${await heldPort()}/`),
      hook("plain", `https://127.0.0.1:${ssh.port}/`),
      hook("closes", `${closing.url}/`),
      hook("other", `${ssh.url}/`),
      ...[
        hook("secret", `${statuses.url}/401`),
        hook("path", `${statuses.url}/404`),
        hook("moved", `${statuses.url}/308`),
      ],
      {
        ...{ name: "mail", kind: "mail", server: "127.0.0.1", port: speaking.port, security: "starttls" },
        ...{ from: "steward@plant.example", to: ["owner@plant.example"], takes: "all" },
      },
    ];
    mkdirSync(etc, { recursive: true });
    const hostFile = join(etc, "steward.json");
    const telemetry = { otlp: { url: proxy.url }, syslog: { server: "127.0.0.1", port: closing.port } };
    const decisions = { notify: { allow_local_servers: true }, telemetry };
    writeFileSync(hostFile, JSON.stringify(decisions), { mode: 0o600 });
    agent = await startCheckedAgent({
      arguments: ["--host-file", hostFile],
      time,
      openClock: time.servedClock(),
    });
    await agent.signedInAdmin();
  });
  after(async () => {
    await agent.dispose();
    for (const server of servers) await server.stop();
  });

  it("are each a need that names the way, ten in all", async () => {
    const put = (body: object) => agent.call("PUT", "/api/system", { local: true, body });
    assert.equal((await put({ notify: { receivers } })).status, 200);
    const at = ["--socket", agent.socket, "--state", agent.stateDirectory];
    for (const { name, kind } of receivers as readonly { name: string; kind: string }[])
      if (kind === "webhook") assert.equal((await runSteward(["notify", "secret", name, ...at])).code, 0);
    await put({ device: { name: "pump 7" } });
    await until("all have failed", async () => {
      time.pass(5);
      const { json } = await agent.call("GET", "/api/notifications", { local: true });
      const failed = json.receivers.filter((one: { last_error: object | null }) => one.last_error !== null);
      return failed.length === Object.keys(ways).length;
    });
    time.pass(3_601);
    const { json } = await agent.call("GET", "/api/status", { local: true });
    const needs = json.needs.filter(({ code }: { code: string }) => code === "receiver_failing");
    const found = Object.fromEntries(needs.map((one: { facts: { name: string } }) => [one.facts.name, one]));
    assert.deepEqual(Object.keys(found).sort(), Object.keys(ways).sort());
    for (const [name, words] of Object.entries(ways)) assert.match(found[name].detail, words);
  });
});
