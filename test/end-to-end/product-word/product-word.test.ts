import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { runSteward } from "../../../lab/command-line/run-steward.ts";

const reports = [
  {
    code: "pressure_low",
    level: "failing",
    text: { en: "The pressure is {bar} bar.", de: "Der Druck ist {bar} bar." },
    page: "pump",
  },
  { code: "valve_stuck", level: "attention", text: { en: "Valve {valve} is stuck." }, message: true },
];
const pages = [
  { name: "pump", title: { en: "Pump" }, url: "https://edge-7.example.net:444", role: "operator" },
];
const units = ["pump.service"];

function hostFileWith(directory: string, product: object): string {
  const path = join(directory, "steward.json");
  writeFileSync(
    path,
    JSON.stringify({ product: { name: "pump-7", sign_in: "https://edge-7.example.net:8443", ...product } }),
  );
  return path;
}

describe("the word of the product", () => {
  const directory = scratchDirectory();
  const agent = ofSuite(() =>
    startCheckedAgent({ arguments: ["--host-file", hostFileWith(directory, { units, reports, pages })] }),
  );
  const path = () => join(agent.runDirectory, "product.sock");
  /** Sends these lines and returns as many answers. */
  const say = async (...lines: readonly (object | string)[]) => {
    const socket = connect(path());
    await once(socket, "connect");
    const answers: { status?: string; code?: string; detail?: string }[] = [];
    createInterface(socket).on("line", (line) => answers.push(JSON.parse(line)));
    for (const line of lines) socket.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    await until("all is answered", () => answers.length >= lines.length);
    socket.destroy();
    return answers;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const get = async (what: string): Promise<any> => (await agent.call("GET", what, { local: true })).json;
  const needs = async (): Promise<string[]> =>
    (await get("/api/status")).needs.map(({ code }: { code: string }) => code);

  it("comes over a socket of the agent's user where systemd has made no directory for it", () => {
    assert.equal(statSync(path()).mode & 0o777, 0o600);
  });

  it("is an event of the unit that said it, and a need from the first line to ok", async () => {
    const need = { need: "pressure_low", numbers: { bar: 0.8 } };
    const answers = await say({ event: "valve_stuck", numbers: { valve: 3 } }, need, need);
    assert.deepEqual(answers, [{ status: "taken" }, { status: "taken" }, { status: "taken" }]);
    const { items } = await get("/api/events?type=product.reported");
    assert.equal(items.length, 1);
    assert.deepEqual(
      [items[0].actor.kind, items[0].actor.name, items[0].details.en],
      ["product", "pump.service", "Valve 3 is stuck"],
    );
    assert.ok((await needs()).includes("product"), String(await needs()));
    assert.deepEqual(await say({ ok: "pressure_low" }), [{ status: "taken" }]);
    assert.equal((await needs()).includes("product"), false);
  });

  it("comes from scripts as well, whose exit codes say what is wrong", async () => {
    const run = (...words: string[]) => runSteward(["product", ...words, "--product-socket", path()]);
    assert.equal((await run("need", "pressure_low", "bar=0.8")).code, 0);
    assert.equal((await run("ok", "pressure_low")).code, 0);
    assert.equal((await run("event", "other")).code, 3);
    assert.equal((await run("event", "valve_stuck")).code, 6);
  });

  it("takes no sentence, no level and no other event from one who has taken over the product", async () => {
    const before = (await get("/api/events?type=product.reported")).items.length;
    const refused = await say(
      { event: "valve_stuck", numbers: { valve: "3. Call +49 1234 at once" } },
      { event: "valve_stuck", numbers: { valve: 3, text: 1 } },
      { event: "valve_stuck", numbers: { valve: 3 }, text: { en: "Your password has expired" } },
      { event: "valve_stuck", numbers: { valve: 3 }, level: "failing" },
      { event: "user.created", numbers: {} },
      { event: "__proto__", numbers: {} },
      { need: "disk" },
      '{"event":"valve_stuck","numbers":{"valve":1e999}}',
      '{"event":"valve_stuck","event":"pressure_low","numbers":{"valve":1}}',
      ...["[]", "null", '"ok"', "7"],
    );
    assert.deepEqual([...new Set(refused.map(({ status }) => status))], ["refused"]);
    assert.equal((await get("/api/events?type=product.reported")).items.length, before);
    assert.equal((await needs()).includes("product"), false);
  });

  it("is no way into the API: the socket knows introspection and nothing else", async () => {
    const request = "POST /api/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
    const socket = connect(path());
    await once(socket, "connect");
    socket.end(request);
    assert.match(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1\.1 404 /);
    const [answer] = await say("GET /api/status HTTP/1.1");
    assert.equal(answer?.code, "malformed_json");
  });
});

describe("the word of a product that names no units", () => {
  const directory = scratchDirectory();
  const agent = ofSuite(() =>
    startCheckedAgent({ arguments: ["--host-file", hostFileWith(directory, { pages })] }),
  );

  it("is not listened for", async () => {
    const path = join(agent.runDirectory, "product.sock");
    assert.equal(existsSync(path), false);
    const ended = await runSteward(["product", "ok", "pressure_low", "--product-socket", path]);
    assert.equal(ended.code, 8);
    assert.match(ended.stderr, /the host file names no product\.units/);
  });
});
