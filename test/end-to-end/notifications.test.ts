import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { createServer } from "node:tls";
import { Webhook } from "standardwebhooks";
import { goodPassword, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { adminPassword, stepUp } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { runSteward } from "../../lab/command-line/run-steward.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { startCollector } from "../../lab/host/otlp-collector.ts";
import { readSyslog } from "../../lab/host/syslog-frames.ts";
import { listening, startWebServer } from "../../lab/host/web-server.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

interface Told {
  id: string;
  type: string;
  data: { events: { title: string; text: string; details: { need?: string } }[] };
}

async function startHook() {
  const received: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const answers = { status: 204 };
  const { url, stop } = await startWebServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(answers.status).end();
    });
  });
  return {
    ...{ received, answers, dispose: stop },
    receiver: (path: string) => ({ name: "alerts", kind: "webhook", url: `${url}${path}`, takes: "all" }),
    /** The messages so far to this path, each signed with that secret. */
    told: (secret: string, path = "/hook"): Told[] =>
      received
        .filter((one) => one.path === path)
        .map(({ headers, body }) => new Webhook(secret).verify(body, headers as never) as Told),
  };
}

/** An agent with this host file, in a time that passes by the test; what `fits` waits for takes some of it. */
async function startNotifyingAgent(host: object) {
  const time = passingTime();
  const hostFile = join(scratchDirectory(), "steward.json");
  writeFileSync(hostFile, JSON.stringify(host), { mode: 0o600 });
  const openClock = time.servedClock();
  const agent = await startCheckedAgent({ arguments: ["--host-file", hostFile], time, openClock });
  const needs = async (): Promise<{ code: string; detail: string; remedy: { line: string } }[]> =>
    (await agent.read("/api/status")).needs;
  return {
    ...agent,
    pass: time.pass,
    comes: (what: string, fits: () => boolean | Promise<boolean>, seconds = 5) =>
      until(what, () => {
        time.pass(seconds);
        return fits();
      }),
    need: async (code: string) => (await needs()).find((one) => one.code === code),
    receivers: async () => (await agent.read("/api/notifications")).receivers,
    put: (body: object) => agent.call("PUT", "/api/system", { local: true, body }),
  };
}

const withLocal = { notify: { allow_local_servers: true } };

describe("the receivers of messages", () => {
  const agent = ofSuite(() => startNotifyingAgent(withLocal));
  const hook = ofSuite(startHook);
  let secret = "";
  before(() => agent.signedInAdmin());

  const notify = (verb: string) =>
    runSteward(["notify", verb, "alerts", "--socket", agent.socket, "--state", agent.stateDirectory]);
  const isRecorded = async (type: string) => (await agent.read(`/api/events?type=${type}`)).items.length > 0;

  it("are none at first, which is a need until none is wanted", async () => {
    // Messages begin by then.
    agent.pass(3);
    assert.deepEqual(await agent.receivers(), []);
    assert.ok(await agent.need("no_receiver"));
    await agent.put({ device: { not_needed: ["no_receiver"] } });
    assert.equal(await agent.need("no_receiver"), undefined);
    await agent.put({ device: { not_needed: [] } });
    const stored = readdirSync(agent.stateDirectory).filter((name) => /receiver|outbox/.test(name));
    assert.deepEqual(stored, [], "nothing is kept for none");
  });

  it("get a secret that is shown once, a test, and a signed message after a need begins", async () => {
    assert.equal((await agent.put({ notify: { receivers: [hook.receiver("/hook")] } })).status, 200);
    agent.pass(10);
    assert.match((await notify("test")).stderr, /alerts has no secret.*steward notify secret alerts/s);
    secret = (await notify("secret")).stdout.trim();
    assert.match(secret, /^whsec_/);
    const tested = await notify("test");
    assert.deepEqual([tested.code, tested.stdout], [0, "204 No Content\n"], tested.stderr);
    assert.ok(hook.told(secret).some(({ type }) => type === "steward.test"));
    const [{ secret_set, last_error }] = await agent.receivers();
    assert.deepEqual([secret_set, last_error], [true, null]);
    assert.ok(await agent.need("device_unnamed"));
    // A need is an event once two looks in a row have found it.
    await agent.comes("the event is recorded", () => isRecorded("need.began"), 61);
    const events = () => hook.told(secret).flatMap(({ data }) => data.events);
    const named = () => events().find(({ details }) => details.need === "device_unnamed");
    await agent.comes("the message is there", () => named() !== undefined);
    assert.match(named()?.text ?? "", /It is shown by its host name/);
  });

  it("are a need after an hour of failures, until a message arrives", async () => {
    hook.answers.status = 500;
    await agent.put({ device: { name: "pump 7" } });
    await agent.comes("the end of the need is recorded", () => isRecorded("need.ended"), 30);
    const fails = async () => /answered 500/.test((await agent.receivers())[0].last_error?.detail ?? "");
    await agent.comes("it fails", fails);
    assert.equal(await agent.need("receiver_failing"), undefined);
    agent.pass(3_601);
    const need = await agent.need("receiver_failing");
    const found = [need?.remedy.line, need?.detail.includes("alerts")];
    assert.deepEqual(found, ["steward notify test alerts", true]);
    hook.answers.status = 204;
    assert.equal((await notify("test")).code, 0);
    assert.equal(await agent.need("receiver_failing"), undefined);
  });

  it("keep their secret sealed, and lose it with their place in the settings", async () => {
    const file = join(agent.stateDirectory, "receiver-secrets.json");
    assert.doesNotMatch(readFileSync(file, "utf8"), /whsec_/);
    await agent.put({ notify: { receivers: [] } });
    await until("it is forgotten", () => JSON.parse(readFileSync(file, "utf8")).secrets.length === 0);
  });
});

describe("an intruder with the session of an administrator", () => {
  const agent = ofSuite(() => startNotifyingAgent(withLocal));
  const hook = ofSuite(startHook);
  let [token, secret] = ["", ""];
  const call = async (method: string, path: string, body: object) => {
    const { status, json, text } = await agent.call(method, path, { token, body });
    assert.ok(status < 300, text);
    return json;
  };
  const name = (...receivers: object[]) => call("PUT", "/api/system", { notify: { receivers } });
  /** The events that came to this path, each with its words, once there is one whose title is like this. */
  const told = async (path: string, title: RegExp) => {
    const all = () =>
      hook.told(secret, path).flatMap(({ id, data }) => data.events.map((event) => ({ ...event, id })));
    await agent.comes(`${title} is told`, () => all().some((event) => title.test(event.title)));
    return all();
  };
  before(async () => {
    token = (await agent.signedInAdmin()).token;
    // Messages begin some seconds after the start.
    agent.pass(3);
    await name(hook.receiver("/hook"));
    secret = (await call("PUT", "/api/notifications/alerts/secret", {})).secret;
    await told("/hook", /set a receiver's secret/);
    hook.received.length = 0;
    await stepUp(agent.call, token, adminPassword);
  });

  it("makes no administrator, takes no backup, makes no token and lowers no policy unheard", async () => {
    const password = goodPassword;
    await call("POST", "/api/users", { username: "eve", password, role: "admin" });
    const { id } = await call("POST", "/api/users", { username: "ben", password, role: "readonly" });
    await call("PUT", `/api/users/${id}`, { role: "admin" });
    await call("POST", "/api/system/backup", { passphrase: "all that protects it" });
    await call("POST", "/api/tokens", { name: "later", scopes: ["updates:apply"], expires_in: "366d" });
    await call("PUT", "/api/system", { security: { session_idle: "24h" } });
    const events = await told("/hook", /changed settings/);
    for (const [title, says] of [
      [/made eve an administrator/, /./],
      [/made ben an administrator/, /./],
      [/made a backup/, /./],
      [/created the API token later/, /Valid until: \d{4}-.* Allowed: updates:apply\. /],
      [/changed settings/, /Changed: security\.session_idle\./],
    ] as const) {
      const text = events.find((event) => title.test(event.title))?.text ?? "";
      assert.match(text, /, from 127\.0\.0\.1\. .*If this was not expected: undo it, end the sessions of /);
      assert.match(text, says);
    }
    const isOfReader = events.some((event) => / ben$/.test(event.title));
    assert.ok(!isOfReader, "that of a reader without rights is no message");
  });

  it("sends messages nowhere else unheard: the address of before has who did it, and nothing after that", async () => {
    hook.received.length = 0;
    await name(hook.receiver("/other"));
    const [last] = (await told("/hook", /changed settings/)).filter(({ id }) => id.endsWith("-last"));
    const text = last?.text ?? "";
    assert.match(text, /Changed: notify\.receivers\. .* The receiver alerts now has other settings/);
    assert.doesNotMatch(text, /other"|http/, "the new address is not told to the old one");
    await told("/other", /changed settings/);
    hook.received.length = 0;
    await name();
    const removed = (await told("/other", /changed settings/)).at(-1)?.text ?? "";
    assert.match(removed, /The receiver alerts was removed: /);
    assert.deepEqual(hook.told(secret), []);
  });
});

describe("a collector and a syslog server that root names in the host file", () => {
  const authority = createAuthority(scratchDirectory());
  const collector = ofSuite(async () => {
    const { stop, ...started } = await startCollector();
    return { ...started, dispose: stop };
  });
  const pieces: Buffer[] = [];
  const syslog = ofSuite(async () => {
    const server = createServer(authority.certify("127.0.0.1"), (socket) => {
      socket.on("error", () => undefined).on("data", (piece) => pieces.push(piece));
    });
    const { port, stop } = await listening(server as never, "tls", []);
    return { port, dispose: stop };
  });
  const agent = ofSuite(() => {
    const toServer = { server: "127.0.0.1", port: syslog.port, ca_file: authority.path };
    return startNotifyingAgent({
      notify: { allow_local_servers: true },
      telemetry: { otlp: { url: collector.url, interval: "1m" }, syslog: toServer },
    });
  });
  before(() => agent.signedInAdmin());

  it("get the events, and one the metrics, by the protocol, and no receiver is asked for", async () => {
    agent.pass(3);
    await until("the outbox is open", async () => (await agent.receivers()).length === 2);
    await agent.put({ device: { name: "pump 7" } });
    const textOf = (path: string) =>
      JSON.stringify(collector.received.filter((one) => one.path === path).map(({ json }) => json));
    const messages = () => readSyslog(Buffer.concat(pieces)).map(({ msgId, priority }) => [msgId, priority]);
    const haveArrived = () =>
      textOf("/v1/logs") !== "[]" && textOf("/v1/metrics") !== "[]" && pieces.length > 0;
    await agent.comes("all have arrived", haveArrived);
    assert.deepEqual(collector.faults, []);
    assert.match(textOf("/v1/logs"), /steward\.settings\.changed/);
    assert.match(textOf("/v1/metrics"), /steward_device_state/);
    assert.deepEqual(messages().at(-1), ["settings.changed", 13 * 8 + 6]);
    assert.equal(await agent.need("no_receiver"), undefined);
    await agent.comes("both are acknowledged", async () =>
      (await agent.receivers()).every((one: { waiting: number }) => one.waiting === 0),
    );
    const told = (await agent.receivers()).map((one: Record<string, unknown>) => [one.name, one.last_error]);
    assert.deepEqual(told, [
      ["otlp", null],
      ["syslog", null],
    ]);
  });
});
