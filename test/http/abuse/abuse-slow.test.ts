import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import {
  assertServesOthers,
  type CheckedAgent,
  startCheckedProcess,
} from "../../../lab/agents/checked-agent.ts";
import { openSilently, requestText } from "../../../lab/agents/raw-http.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { until } from "../../../lab/basics/until.ts";

/** The bound of a listener's connections (listeners.ts). */
const maximumConnections = 512;

async function residentMebibytes(agent: CheckedAgent): Promise<number> {
  const status = await readFile(`/proc/${agent.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

describe("clients that take their time", () => {
  let agent: CheckedAgent;
  const open: Socket[] = [];
  let token: string;
  before(async () => {
    agent = await startCheckedProcess();
    token = (await agent.signedInAdmin()).token;
  });
  after(async () => {
    for (const socket of open) socket.destroy();
    await agent.dispose();
  });

  const connectMany = async (count: number): Promise<Socket[]> => {
    const sockets: Socket[] = [];
    while (sockets.length < count) {
      const batch = Array.from({ length: Math.min(100, count - sockets.length) }, () =>
        openSilently(agent.port),
      );
      for (const socket of await Promise.all(batch))
        sockets.push(socket.on("error", () => undefined).resume());
      // An answer says that the agent has taken them: with its backlog full, the kernel would bring some a second late.
      await agent.call("GET", "/api/version");
    }
    open.push(...sockets);
    return sockets;
  };
  const closedOf = (sockets: readonly Socket[]) => sockets.filter(({ closed }) => closed).length;

  it("a head that comes a byte a second is 408 and a close after its ten seconds (slow loris)", async () => {
    const socket = (await connectMany(1))[0];
    assert.ok(socket, "socket");
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.write("GET /api/version HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
    const dripping = setInterval(() => {
      if (text === "") socket.write("a");
    }, 500);
    await until("it is closed", () => socket.closed);
    clearInterval(dripping);
    assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    assert.match(text, /"code":"request_timeout"/);
  });

  it("512 unfinished bodies, each opened anew when it is closed: every request of an administrator is answered, and a sign-in", async () => {
    const head = ["Content-Type: application/json", "Content-Length: 1000"];
    const half = requestText("POST /api/auth/login", head, "{");
    let isOver = false;
    let count = 0;
    const attack = async (): Promise<void> => {
      const socket = await openSilently(agent.port).catch(() => undefined);
      if (socket === undefined || isOver) return void socket?.destroy();
      count += 1;
      open.push(socket.on("error", () => undefined).resume());
      socket.write(half);
      socket.once("close", () => isOver || void attack());
    };
    await Promise.all(Array.from({ length: maximumConnections }, attack));
    for (let index = 0; index < 50; index += 1)
      assert.equal((await agent.call("GET", "/api/users", { token })).status, 200, `request ${index}`);
    await agent.login(adminName, adminPassword);
    isOver = true;
    assert.ok(count > maximumConnections, `${count} were opened`);
    for (const socket of open) socket.destroy();
  });

  it("1,000 connections that say nothing: others are answered, and the surplus is closed", async () => {
    const sockets = await connectMany(1_000);
    await assertServesOthers(agent);
    const surplus = 1_000 - maximumConnections;
    await until("the surplus is closed", () => closedOf(sockets) >= surplus);
    assert.ok(closedOf(sockets) <= surplus + 60, `${closedOf(sockets)} closed: more than the surplus`);
    for (const socket of sockets) socket.destroy();
  });

  for (const [count, end] of [
    [60, "wait"],
    [2_000, "are refused with their connection"],
  ] as const)
    it(`${count} requests in one go, whose answers are never read, ${end}: others are served, and it costs no memory`, async () => {
      const sockets = await connectMany(5);
      const before = await residentMebibytes(agent);
      for (const socket of sockets) {
        socket.pause();
        socket.write(requestText("GET /api/openapi.json").repeat(count));
      }
      await assertServesOthers(agent);
      // More than the 64 that one connection may have under way.
      if (count > 64)
        await until("their connections are closed", async () => {
          for (const socket of sockets) socket.resume();
          return closedOf(sockets) === sockets.length;
        });
      const grown = (await residentMebibytes(agent)) - before;
      assert.ok(grown < 64, `${grown.toFixed(0)} MiB more`);
      for (const socket of sockets) socket.destroy();
    });
});
