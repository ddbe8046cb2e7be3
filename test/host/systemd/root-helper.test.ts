import assert from "node:assert/strict";
import { once } from "node:events";
import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, afterEach, beforeEach, describe, it, type TestContext } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { compileHelper, type HelperProcess, startHelper } from "../../../lab/host/helper-process.ts";
import { temporaryDirectory } from "../../../lab/host/journal.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createRootHelper, createUnitOf } from "../../../src/host/linux/systemd/root-helper.ts";
import type { RootOrder } from "../../../src/host/ports.ts";

const id = "0123456789abcdef".repeat(2);

describe("the agent and the root helper", () => {
  const directory = compileHelper();
  after(() => rmSync(directory, { recursive: true, force: true }));
  let process: HelperProcess;
  beforeEach(async () => {
    process = await startHelper(directory);
  });
  afterEach(() => process.stop());
  const ask = (order: RootOrder) => createRootHelper(process.socket).ask(order);

  it("have the same words", async () => {
    const orders: RootOrder[] = [
      { word: "install", id },
      { word: "rollback", kind: "rules" },
      { word: "chrony", verb: "makestep" },
      { word: "host-name", name: "pump-7" },
      { word: "restart-timesyncd" },
      { word: "reboot" },
      { word: "power-off" },
      { word: "enable-https" },
    ];
    for (const order of orders) await ask(order);
    await assert.rejects(ask({ word: "time-zone", zone: "Europe/Berlin" }), { code: "not_found" });
    assert.equal(process.calls().length, 7);
    const unitOf = createUnitOf(process.socket);
    await assert.rejects(unitOf({ pid: 7, uid: 990 }), { code: "not_found" });
    mkdirSync(join(directory, "proc/7"), { recursive: true });
    writeFileSync(join(directory, "proc/7/status"), "Name:\tpump\nUid:\t990\t990\t990\t990\n");
    writeFileSync(join(directory, "proc/7/cgroup"), "0::/system.slice/pump\\x2d7@a:b.service\n");
    assert.equal(await unitOf({ pid: 7, uid: 990 }), "pump\\x2d7@a:b.service");
    await assert.rejects(unitOf({ pid: 7, uid: 991 }), { code: "not_found" });
    await assert.rejects(createUnitOf(null)({ pid: 7, uid: 990 }), { code: "forbidden" });
  });

  it("miss each other where nothing listens, though the socket's file may have stayed", async () => {
    assert.equal(createRootHelper(process.socket).absence(), null);
    const absent = /^This host has no root helper\. As root: systemctl unmask steward-helper\.socket; /;
    assert.match(createRootHelper(join(directory, "none.socket")).absence() ?? "", absent);
    const left = join(directory, "left.socket");
    const server = createServer().listen(left);
    await once(server, "listening");
    linkSync(left, `${left}.kept`);
    assert.match(createRootHelper(`${left}.kept`).absence() ?? "", absent);
    assert.equal(createRootHelper(left).absence(), null);
    assert.equal(createRootHelper(null).absence(), null);
    await new Promise((resolve) => server.close(resolve));
  });

  it("say that the host does not have it, or that it failed, as systemctl ends", async () => {
    for (const [status, code, message] of [
      ["5", "not_found", /this host does not have it/],
      ["1", "internal_error", /it failed with 1/],
    ] as const) {
      writeFileSync(join(directory, "status"), `${status}\n`);
      await assert.rejects(ask({ word: "install", id }), { code, message });
    }
  });

  it("say how long to wait where there were too many orders", async () => {
    for (let turn = 0; turn < 2; turn += 1) await ask({ word: "reboot" });
    await assert.rejects(ask({ word: "reboot" }), (error) => {
      assert.ok(error instanceof StewardError && error.code === "rate_limited", String(error));
      const seconds = error.details.retryAfterSeconds ?? 0;
      assert.ok(seconds > 250 && seconds <= 300, `${seconds}`);
      return true;
    });
  });

  it("stop waiting with the signal's reason, or after a while, and the order goes on", async () => {
    writeFileSync(join(directory, "wait"), "");
    const ending = new AbortController();
    const asked = createRootHelper(process.socket).ask({ word: "install", id }, { signal: ending.signal });
    const refused = assert.rejects(asked, /^Error: stopping$/);
    await until("it is under way", () => process.calls().length === 1);
    ending.abort(new Error("stopping"));
    await refused;
    const late = createRootHelper(process.socket).ask({ word: "reboot" }, { timeoutMilliseconds: 50 });
    await assert.rejects(late, /took longer than 0\.05 s/);
    rmSync(join(directory, "wait"));
    await ask({ word: "chrony", verb: "burst" });
  });
});

describe("a root helper", () => {
  /** One that gives this answer, as an older or a newer one might. */
  async function answering(test: TestContext, answer: string): Promise<string> {
    const socket = join(temporaryDirectory(test), "socket");
    const server = createServer((connection) => connection.end(answer)).listen(socket);
    test.after(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    return socket;
  }

  const answers: [string, string, RegExp][] = [
    ["refused\n", "forbidden", /of another version of Steward/],
    ["failed ENOSPC\n", "storage_full", /Nothing was changed/],
    ["failed EROFS\n", "storage_unwritable", /read-only or, in a container, \/proc\/sys/],
    ["failed ENOENT\n", "not_found", /does not have it/],
    ["failed EIO\n", "internal_error", /failed with EIO/],
    ["unit ssh.service\n", "internal_error", /has no meaning/],
    ["certainly\n", "internal_error", /has no meaning/],
    ["limited soon\n", "internal_error", /has no meaning/],
    ["x".repeat(4_000), "internal_error", /has no meaning/],
    ["", "internal_error", /without an answer/],
  ];
  for (const [answer, code, said] of answers)
    it(`that says ${JSON.stringify(answer.slice(0, 20))} is ${code}`, async (test) => {
      const { ask } = createRootHelper(await answering(test, answer));
      await assert.rejects(ask({ word: "reboot" }), { code, message: said });
    });

  it("that is not there, or that this agent may not ask, is forbidden and says what root can type", async (test) => {
    for (const socket of [null, join(temporaryDirectory(test), "socket")])
      await assert.rejects(createRootHelper(socket).ask({ word: "reboot" }), {
        code: "forbidden",
        message: /systemctl restart steward-helper\.socket/,
      });
  });
});
