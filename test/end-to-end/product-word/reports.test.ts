import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { before, describe, it } from "node:test";
import { checkEvent } from "../../../lab/agents/answer-rules.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { startWebServer } from "../../../lab/host/web-server.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import type { AuditEvent, Need } from "../../../src/contract/types.ts";

const unit = "pump.service";
const text = { en: "The pressure is {bar} bar.", de: "Der Druck ist {bar} bar." };
const reports = [
  { code: "pressure_low", level: "failing", text, page: "pump", path: "/pressure", ttl: "2m" },
  { code: "filter_old", level: "notice", text: { en: "The filter has {hours} hours" }, message: true },
  ...Array.from({ length: 30 }, (_, index) => ({
    ...{ code: `code_${index}`, level: "attention", text: { en: `Code {n} of ${index}` } },
  })),
];
const pages = [
  { name: "pump", title: { en: "Pump" }, url: "https://edge-7.example.net:444/", role: "readonly" },
];
const product = { name: "pump-7", sign_in: "https://edge-7.example.net:8443", pages, units: [unit], reports };

interface Answer {
  readonly status: string;
  readonly code?: string;
}

/** A connection to the product's socket, whose lines are answered in order. */
async function speak(path: string) {
  const socket: Socket = connect(path);
  const answers: Answer[] = [];
  createInterface({ input: socket }).on("line", (line) => answers.push(JSON.parse(line)));
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let sent = 0;
  return {
    say: async (...lines: object[]): Promise<readonly Answer[]> => {
      const begin = sent;
      sent += lines.length;
      socket.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      await until("each line is answered", () => answers.length >= sent);
      return answers.slice(begin, sent);
    },
    dispose: () => void socket.destroy(),
  };
}

describe("what the product reports", () => {
  const time = passingTime();
  const hook = ofSuite(async () => {
    const told: { title: string; text: string; type: string; details: { name?: string; code?: string } }[] =
      [];
    const ids = new Set<string>();
    const server = await startWebServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (piece: string) => {
        body += piece;
      });
      request.on("end", () => {
        const { id, data } = JSON.parse(body);
        // Each message comes at least once: the time that a test lets pass may end an attempt that has arrived.
        if (!ids.has(id)) told.push(...data.events);
        ids.add(id);
        response.writeHead(204).end();
      });
    });
    return { ...server, told, dispose: server.stop };
  });
  const agent = ofSuite(() => {
    const hostFile = join(scratchDirectory(), "steward.json");
    writeFileSync(hostFile, JSON.stringify({ product, notify: { allow_local_servers: true } }), {
      mode: 0o600,
    });
    return startCheckedAgent({ time, arguments: ["--host-file", hostFile], openClock: time.servedClock() });
  });
  const pump = ofSuite(() => speak(join(agent.runDirectory, "product.sock")));
  const eventsOf = async (query: string): Promise<AuditEvent[]> =>
    (await agent.read(`/api/events?limit=200&${query}`)).items;
  const needs = async (): Promise<Need[]> =>
    (await agent.read("/api/status")).needs.filter(({ code }: Need) => code.startsWith("product"));
  const comes = (what: string, fits: () => boolean | Promise<boolean>) =>
    until(what, () => {
      // Less than an attempt to deliver may take.
      time.pass(30);
      return fits();
    });
  before(async () => {
    await agent.signedInAdmin();
    const receivers = [{ name: "alerts", kind: "webhook", url: `${hook.url}/hook`, takes: "all" }];
    const changes = { notify: { receivers }, console: { language: "de" } };
    assert.equal((await agent.call("PUT", "/api/system", { local: true, body: changes })).status, 200);
    await agent.call("PUT", "/api/notifications/alerts/secret", { local: true, body: {} });
  });

  it("is a need of the device, in status and metrics, and by the unit's name in the record", async () => {
    const [answer] = await pump.say({ need: "pressure_low", numbers: { bar: 1.2 } });
    assert.deepEqual(answer, { status: "taken" });
    const [need = assert.fail()] = await needs();
    assert.deepEqual(
      [need.level, need.detail],
      ["failing", "The pressure is 1.2 bar. The product reports it."],
    );
    const { page, path } = need.facts as { page?: string; path?: string };
    assert.deepEqual([page, path], ["pump", "/pressure"]);
    const { text } = await agent.call("GET", "/api/metrics", { local: true });
    assert.match(text, /^steward_product_need\{code="pressure_low"\} 1$/m);
  });

  it("leaves the device as a message in its language when it begins, is silent and ends", async () => {
    const titles = () =>
      hook.told.filter(({ details }) => details.name === "pressure_low").map(({ title }) => title);
    await comes("its beginning is told", async () => {
      await pump.say({ need: "pressure_low", numbers: { bar: 1.2 } });
      return titles().length > 0;
    });
    assert.deepEqual(titles(), ["Zu tun: Der Druck ist 1,2 bar"]);
    await comes("its silence is told", () => titles().length > 2);
    assert.deepEqual(
      (await needs()).map(({ code }) => code),
      ["product_silent"],
    );
    assert.deepEqual(titles().slice(1).sort(), [
      "Erledigt: Der Druck ist 1,2 bar",
      "Zu tun: Keine Nachricht mehr: Der Druck ist 1,2 bar",
    ]);
    await pump.say({ ok: "pressure_low" });
    assert.deepEqual(await needs(), []);
    await comes("its end is told", () => titles().length > 3);
    const ofNeeds = (await eventsOf("name=pump.service")).filter(({ type }) => type.startsWith("need."));
    for (const event of ofNeeds) checkEvent(event);
    assert.ok(
      ofNeeds.length === 4 &&
        ofNeeds.every(({ log, actor }) => log === "changes" && actor.kind === "product"),
    );
  });

  it("is an event, and a message where the host file says so", async () => {
    await pump.say(
      { event: "filter_old", numbers: { hours: 4_000 } },
      { event: "code_1", numbers: { n: 7 } },
    );
    await comes("it is told", () => hook.told.some(({ type }) => type === "product.reported"));
    const told = hook.told.filter(({ type }) => type === "product.reported").map(({ text }) => text);
    assert.deepEqual(told, ["The filter has 4000 hours. Gemeldet von der Unit pump.service."]);
    const reported = await eventsOf("group=product");
    for (const event of reported) checkEvent(event);
    assert.deepEqual(
      reported.map(({ log, details }) => `${log} ${details.code}`),
      ["reports code_1", "reports filter_old"],
    );
  });
});

describe("a need of the product over a restart of the agent", () => {
  const stateDirectory = join(scratchDirectory(), "state");
  const start = () => {
    const time = passingTime();
    const hostFile = join(scratchDirectory(), "steward.json");
    writeFileSync(hostFile, JSON.stringify({ product }), { mode: 0o600 });
    const how = { stateDirectory, time, openClock: time.servedClock() };
    return startCheckedAgent({ ...how, arguments: ["--host-file", hostFile] }).then((agent) => ({
      ...agent,
      time,
    }));
  };
  const ofProduct = async ({ read }: { read: (path: string) => Promise<{ items: AuditEvent[] }> }) =>
    (await read("/api/events?group=device&limit=200")).items
      .filter(({ details }) => String(details.need).startsWith("product"))
      .map(({ type, details }) => `${type} ${details.need}`);
  before(async () => {
    const first = await start();
    await first.signedInAdmin();
    const pump = await speak(join(first.runDirectory, "product.sock"));
    await until("it is recorded", async () => {
      first.time.pass(61);
      await pump.say({ need: "pressure_low", numbers: { bar: 0.7 } });
      return (await ofProduct(first)).length > 0;
    });
    pump.dispose();
    await first.dispose();
  });
  const agent = ofSuite(start);

  it("goes on, and begins no second time; without the product's line it is silent after its time", async () => {
    const needs = async (): Promise<string[]> =>
      (await agent.read("/api/status")).needs.map(({ code, detail }: Need) => `${code}: ${detail}`);
    await until("it is there", async () =>
      (await needs()).includes("product: The pressure is 0.7 bar. The product reports it."),
    );
    await until("it is silent in the record", async () => {
      agent.time.pass(61);
      return (await ofProduct(agent)).length > 2;
    });
    const told = ["need.began product", "need.began product_silent", "need.ended product"];
    assert.deepEqual((await ofProduct(agent)).sort(), told);
    assert.ok(
      (await needs()).some((need) => need.startsWith("product_silent: No news of: The pressure is 0.7 bar.")),
    );
  });
});

/** A unit whose program an attacker runs: it may say what its codes say, as often as it likes. */
describe("a product that was taken over", () => {
  const time = passingTime();
  const agent = ofSuite(() => {
    const hostFile = join(scratchDirectory(), "steward.json");
    writeFileSync(hostFile, JSON.stringify({ product }), { mode: 0o600 });
    return startCheckedAgent({ time, arguments: ["--host-file", hostFile], openClock: time.servedClock() });
  });
  const pump = ofSuite(() => speak(join(agent.runDirectory, "product.sock")));
  before(() => agent.signedInAdmin());

  it("cannot write a sentence of its own anywhere", async () => {
    const prose = "Call 0190 123456 now";
    const answers = await pump.say(
      ...[{ need: "pressure_low", numbers: { bar: prose } }, { event: prose }, { need: prose, numbers: {} }],
      ...[
        { event: "code_1", numbers: { n: 1, [prose]: 2 } },
        { event: "code_1", numbers: { n: 1 }, text: prose },
      ],
      ...[
        { event: "code_1", numbers: { n: 1 }, page: "/evil" },
        { need: "code_1", numbers: [prose] },
        { ok: prose },
      ],
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(["refused"]));
    const seen = await Promise.all(
      ["/api/status", "/api/events?limit=200", "/api/logs?limit=200"].map(agent.read),
    );
    assert.doesNotMatch(JSON.stringify(seen), /0190|evil/);
  });

  it("cries wolf within its share: thirty events and one a minute, sixteen needs, and no change is pushed out", async () => {
    const before = await agent.read("/api/events?after=0&limit=200");
    const flood = Array.from({ length: 900 }, (_, index) => ({
      [index % 3 === 0 ? "need" : "event"]: `code_${index % 30}`,
      numbers: { n: index },
    }));
    const begin = performance.now();
    for (let at = 0; at < flood.length; at += 100) {
      time.pass(1);
      await pump.say(...flood.slice(at, at + 100));
    }
    const { needs } = await agent.read("/api/status");
    const own = needs.filter(({ code }: Need) => code === "product");
    const reported = (await agent.read("/api/events?group=product&limit=200")).items;
    // As the agent's time passed: with this machine's, and what the test added.
    const minutes = Math.ceil(((performance.now() - begin) / 1_000 + 9) / 60);
    assert.deepEqual(
      [own.length <= 16, reported.length <= 30 + minutes],
      [true, true],
      `${own.length}, ${reported.length}`,
    );
    const after = await agent.read("/api/events?after=0&limit=200");
    const isThere = (one: AuditEvent) => after.items.some(({ hash }: AuditEvent) => hash === one.hash);
    assert.ok(before.items.every(isThere));
  });
});
