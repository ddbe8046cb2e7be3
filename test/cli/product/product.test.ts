import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, temporaryDirectory } from "../fixture.ts";

/** An agent that answers each line so, and what it has heard. */
async function heardBy(test: TestContext, answer: (socket: Socket) => void) {
  const path = join(temporaryDirectory(test), "product.sock");
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (line) => {
      heard.push(line.toString());
      answer(socket);
    });
  }).listen(path);
  await once(server, "listening");
  test.after(() => server.close());
  return { path, heard };
}

const taken = (socket: Socket) => void socket.write('{"status":"taken"}\n{"ended":"ses_1"}\n');
const refused = (code: string) => (socket: Socket) =>
  void socket.end(`${JSON.stringify({ status: "refused", code, detail: "Name it." })}\n`);

describe("steward product", { concurrency: true }, () => {
  for (const [line, sent] of [
    ["product need pressure_low bar=1.2", { need: "pressure_low", numbers: { bar: 1.2 } }],
    [
      "product event valve_stuck valve=3 of=-1e3",
      { event: "valve_stuck", numbers: { valve: 3, of: -1_000 } },
    ],
    ["product ok pressure_low", { ok: "pressure_low" }],
    ["product need door_open", { need: "door_open" }],
  ] as const)
    it(`sends a line at ${line}, and says that it is taken`, async (test) => {
      const { path, heard } = await heardBy(test, taken);
      const ended = await runSteward([...line.split(" "), "--product-socket", path]);
      assert.deepEqual(ended, { code: 0, stdout: "", stderr: "Steward has taken it.\n" });
      assert.deepEqual(heard, [`${JSON.stringify(sent)}\n`]);
    });

  it("finds the socket in the environment, and gives programs the answer", async (test) => {
    const { path } = await heardBy(test, taken);
    const line = ["product", "ok", "a", "--output", "json"];
    const { code, stdout } = await runSteward(line, { environment: { STEWARD_PRODUCT_SOCKET: path } });
    assert.deepEqual([code, JSON.parse(stdout)], [0, { status: "taken" }]);
  });

  for (const [code, exit] of [
    ["not_found", 3],
    ["forbidden", 4],
    ["rate_limited", 7],
    ["validation_failed", 6],
  ] as const)
    it(`ends with ${exit} where it is refused with ${code}, and says why`, async (test) => {
      const { path } = await heardBy(test, refused(code));
      const ended = await runSteward(["product", "ok", "a", "--product-socket", path]);
      assert.equal(ended.code, exit);
      assert.match(ended.stderr, /Name it\./);
    });

  it("says how a number is written where it is none, and sends nothing", async (test) => {
    const { path, heard } = await heardBy(test, taken);
    for (const given of ["bar", "bar=", "bar=1,2", "bar=1 bar", "=1", "bar=NaN", "bar=Infinity", "bar=--1"]) {
      const ended = await runSteward(["product", "need", "a", given, "--product-socket", path]);
      assert.equal(ended.code, 2, given);
      assert.match(ended.stderr, /write it as bar=1\.2/, given);
    }
    assert.equal((await runSteward(["product", "ok", "a", "b=1", "--product-socket", path])).code, 2);
    assert.deepEqual(heard, []);
  });

  it("says what to do where no one listens, or another program does", async (test) => {
    const none = join(temporaryDirectory(test), "none.sock");
    const silent = await heardBy(test, (socket) => socket.end());
    const other = await heardBy(test, (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const unknown = await heardBy(test, refused("no_such_code"));
    const endless = await heardBy(test, (socket) => void socket.write("x".repeat(100_000)));
    for (const path of [none, silent.path, other.path, unknown.path, endless.path]) {
      const ended = await runSteward(["product", "ok", "a", "--product-socket", path]);
      assert.equal(ended.code, 8, path);
      assert.match(ended.stderr, /systemctl status steward.* product\.units/, path);
    }
  });
});
