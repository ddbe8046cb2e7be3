import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { createLocalListeners } from "../../src/programs/agent/listeners/local-listeners.ts";

/** The agent's own listeners, whose minutes the test makes. */
async function localListeners(t: TestContext, port: number) {
  const runDirectory = join(await temporaryDirectory(t), "run");
  const waiting: { seconds: number; call: () => void }[] = [];
  const lines: string[] = [];
  const local = createLocalListeners({
    runDirectory,
    listen: { host: "127.0.0.1", port },
    time: {
      wall: Date.now,
      timers: {
        after: (seconds, call) => {
          const timer = { seconds, call };
          waiting.push(timer);
          return () => void waiting.splice(waiting.indexOf(timer), 1);
        },
      },
    },
    boundBuffers: () => undefined,
    log: (severity, text) => void lines.push(`${severity}: ${text}`),
  });
  t.after(() => local.stop(0));
  let isLost = false;
  void local.socketLost.then(() => {
    isLost = true;
  });
  /** The minute is over for all that wait, and they wait again. */
  const minute = async (): Promise<void> => {
    const due = waiting.splice(0);
    const waits = due.map(({ seconds }) => seconds);
    assert.deepEqual(waits, [60, 60]);
    for (const { call } of due) call();
    await until("both wait again", () => waiting.length === due.length);
  };
  const ask = (where: { socketPath: string } | { port: number }) =>
    new Promise<string>((resolve) => {
      const asked = request({ ...where, host: "127.0.0.1", agent: false }, async (response) =>
        resolve((await response.setEncoding("utf8").toArray()).join("")),
      );
      asked.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
      asked.end();
    });
  await local.open((_request, response) => void response.end("steward"));
  const socketPath = join(runDirectory, "steward.sock");
  return { local, minute, lines, runDirectory, socketPath, ask, isLost: () => isLost };
}

describe("the port of loopback, taken by another program", () => {
  it("keeps the agent from nothing else, is a finding, and is listened at once it is free", async (t) => {
    const other = createServer((_request, response) => response.end("other"));
    t.after(() => other.close());
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const { local, minute, lines, socketPath, ask } = await localListeners(t, port);
    assert.equal(await ask({ socketPath }), "steward");
    assert.deepEqual(local.addresses(), [socketPath]);
    const found = local.trouble();
    assert.deepEqual([found?.code, found?.facts], ["port_unavailable", { address: `127.0.0.1:${port}` }]);
    assert.match(found?.detail ?? "", /EADDRINUSE.*Another program listens there/);
    assert.deepEqual(found?.remedy, { line: `ss -ltnp 'sport = :${port}'`, deletes: null });
    await minute();
    assert.equal(await ask({ port }), "other");
    const said = ["error: does not listen, and tries again each minute"];
    assert.deepEqual(lines, said, "once, and not each minute");
    await new Promise((resolve) => other.close(resolve));
    await minute();
    assert.equal(await ask({ port }), "steward");
    assert.equal(local.trouble(), null);
    assert.deepEqual(local.addresses(), [socketPath, `http://127.0.0.1:${port}`]);
    assert.deepEqual(lines, [...said, "notice: listens again"]);
  });
});

describe("the agent's socket", () => {
  it("whose directory was removed is listened at again within a minute", async (t) => {
    const { local, minute, runDirectory, socketPath, ask, isLost } = await localListeners(t, 0);
    for (const removed of [runDirectory, socketPath]) {
      rmSync(removed, { recursive: true });
      assert.equal(await ask({ socketPath }), "ENOENT");
      await minute();
      assert.equal(await ask({ socketPath }), "steward");
      assert.deepEqual([local.trouble(), isLost()], [null, false]);
    }
    await minute();
    assert.equal(await ask({ socketPath }), "steward");
    await local.stop(0);
    assert.equal(existsSync(socketPath), false);
  });

  it("that cannot be made again is a finding, and told to whom can have systemd make it", async (t) => {
    const { local, minute, runDirectory, socketPath, ask, isLost } = await localListeners(t, 0);
    rmSync(runDirectory, { recursive: true });
    writeFileSync(runDirectory, "no directory");
    await minute();
    const found = local.trouble();
    assert.deepEqual([found?.code, found?.facts], ["socket_unavailable", { path: socketPath }]);
    assert.equal(found?.remedy?.line, "systemctl restart steward.service");
    assert.equal(isLost(), true);
    rmSync(runDirectory);
    await minute();
    assert.equal(await ask({ socketPath }), "steward");
    assert.equal(local.trouble(), null);
  });
});
