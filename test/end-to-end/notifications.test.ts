import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { type CheckedAgent, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { runSteward } from "../../lab/command-line/run-steward.ts";
import { type OtlpCollector, startCollector } from "../../lab/host/otlp-collector.ts";
import { startWebServer, type WebServer } from "../../lab/host/web-server.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const etc = scratchDirectory();

/** An agent whose root lets receivers be on the device itself. */
function startNotifyingAgent(time: ReturnType<typeof passingTime>): Promise<CheckedAgent> {
  mkdirSync(etc, { recursive: true });
  const hostFile = join(etc, "steward.json");
  writeFileSync(hostFile, JSON.stringify({ notify: { allow_local_servers: true } }), { mode: 0o600 });
  return startCheckedAgent({
    arguments: ["--host-file", hostFile],
    ...{ time, openClock: time.servedClock() },
  });
}

describe("the receivers of messages", () => {
  const time = passingTime();
  const received: Received[] = [];
  let [status, hook] = [204, undefined as WebServer | undefined];
  let agent: CheckedAgent;
  let token: string;
  let secret = "";
  before(async () => {
    hook = await startWebServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (piece: string) => {
        body += piece;
      });
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.writeHead(status).end();
      });
    });
    agent = await startNotifyingAgent(time);
    token = (await agent.signedInAdmin()).token;
  });
  after(async () => {
    await agent.dispose();
    await hook?.stop();
  });

  const notify = (...words: string[]) =>
    runSteward(["notify", ...words, "--socket", agent.socket, "--state", agent.stateDirectory]);
  const needs = async (): Promise<string[]> => {
    const { json } = await agent.call("GET", "/api/status", { local: true });
    return json.needs.map(({ code }: { code: string }) => code);
  };
  const change = (settings: object) =>
    agent.call("PUT", "/api/system", { local: true, body: { notify: settings } });
  const alerts = () => ({ name: "alerts", kind: "webhook", url: `${hook?.url}/hook`, takes: "all" });

  it("are none at first, which is a need until none is wanted", async () => {
    assert.deepEqual((await agent.call("GET", "/api/notifications", { token })).json, { receivers: [] });
    assert.ok((await needs()).includes("no_receiver"));
    const without = async (not_needed: readonly string[]) => {
      const { status } = await agent.call("PUT", "/api/system", {
        local: true,
        body: { device: { not_needed } },
      });
      assert.equal(status, 200);
    };
    await without(["no_receiver"]);
    assert.ok(!(await needs()).includes("no_receiver"));
    await without([]);
    const stored = readdirSync(agent.stateDirectory);
    assert.deepEqual(
      stored.filter((name) => /receiver|outbox/.test(name)),
      [],
      "nothing is kept for none",
    );
  });

  it("are found by nobody under a name that the settings do not have", async () => {
    for (const [method, verb] of [
      ["PUT", "secret"],
      ["POST", "test"],
    ] as const) {
      const { status: answer, json } = await agent.call(method, `/api/notifications/alerts/${verb}`, {
        token,
      });
      assert.deepEqual([answer, json.code], [404, "not_found"]);
    }
    const { code, stderr } = await notify("secret", "alerts");
    assert.deepEqual([code, stderr.includes("There is no receiver")], [3, true], stderr);
  });

  it("take no secret of another form, and the refusal names the secret", async () => {
    assert.equal((await change({ receivers: [alerts()] })).status, 200);
    const options = ["--stdin", "--socket", agent.socket, "--state", agent.stateDirectory];
    const { code, stderr } = await runSteward(["notify", "secret", "alerts", ...options], {
      stdin: "short\n",
    });
    assert.equal(code, 6);
    assert.match(stderr, /^ {2}secret: must be `whsec_` and/m);
  });

  it("say at a test that the secret is missing, and send nothing without one", async () => {
    assert.equal((await change({ receivers: [alerts()] })).status, 200);
    time.pass(10);
    const { code, stderr } = await notify("test", "alerts");
    assert.equal(code, 1);
    assert.match(stderr, /alerts has no secret.*steward notify secret alerts/s);
    assert.deepEqual(received, []);
  });

  it("get a secret that is shown once, and answer the test of `steward notify test`", async () => {
    const made = await notify("secret", "alerts");
    assert.equal(made.code, 0, made.stderr);
    secret = made.stdout.trim();
    assert.match(secret, /^whsec_/);
    const tested = await notify("test", "alerts");
    assert.deepEqual([tested.code, tested.stdout], [0, "204 No Content\n"], tested.stderr);
    const [{ headers, body } = assert.fail()] = received.splice(0);
    const event = new Webhook(secret).verify(body, headers as Record<string, string>);
    assert.equal((event as { type: string }).type, "steward.test");
    const { stdout } = await notify("list", "-o", "json");
    const [{ secret_set, last_error }] = JSON.parse(stdout).receivers;
    assert.deepEqual([secret_set, last_error], [true, null]);
  });

  it("get a signed message after a need begins", async () => {
    assert.ok((await needs()).includes("device_unnamed"));
    // A need is an event once two looks in a row have found it.
    time.pass(61);
    await until("the first look is over", async () => (await needs()).length > 0);
    time.pass(61);
    await until("the event is recorded", async () => {
      const { json } = await agent.call("GET", "/api/events?type=need.began", { local: true });
      return json.items.length > 0;
    });
    time.pass(61);
    await until("the message is there", () => received.length > 0);
    const [{ headers, body } = assert.fail()] = received.splice(0);
    const { type, data } = new Webhook(secret).verify(body, headers as Record<string, string>) as {
      type: string;
      data: { events: { type: string; text: string; details: { need: string } }[] };
    };
    assert.ok(["steward.events", "steward.need.began"].includes(type), type);
    const named = data.events.find(({ details }) => details.need === "device_unnamed");
    assert.match(named?.text ?? "", /It is shown by its host name/);
  });

  it("are in the metrics by their names", async () => {
    const { text } = await agent.call("GET", "/api/metrics", { local: true });
    assert.match(text, /^steward_receiver_waiting_events\{receiver="alerts"\} 0$/m);
    assert.match(text, /^steward_receiver_failing_seconds\{receiver="alerts"\} 0$/m);
    assert.match(text, /^steward_receiver_last_success_timestamp_seconds\{receiver="alerts"\} \d/m);
  });

  it("are a need after an hour of failures, until a message arrives", async () => {
    status = 500;
    await agent.call("PUT", "/api/system", { local: true, body: { device: { name: "pump 7" } } });
    time.pass(61);
    await until("the end of the need is recorded", async () => {
      time.pass(30);
      const { json } = await agent.call("GET", "/api/events?type=need.ended", { local: true });
      return json.items.length > 0;
    });
    await until("it fails", async () => {
      time.pass(5);
      const { json } = await agent.call("GET", "/api/notifications", { token });
      return /answered 500/.test(json.receivers[0].last_error?.detail ?? "");
    });
    assert.ok(!(await needs()).includes("receiver_failing"));
    time.pass(3_601);
    const { json } = await agent.call("GET", "/api/status", { local: true });
    const need = json.needs.find(({ code }: { code: string }) => code === "receiver_failing");
    assert.match(need?.detail ?? "", /Messages do not reach alerts\./);
    assert.equal(need.remedy.line, "steward notify test alerts");
    status = 204;
    assert.equal((await notify("test", "alerts")).code, 0);
    assert.ok(!(await needs()).includes("receiver_failing"));
  });

  it("keep their secret sealed, and lose it with their place in the settings", async () => {
    const file = join(agent.stateDirectory, "receiver-secrets.json");
    assert.doesNotMatch(readFileSync(file, "utf8"), /whsec_/);
    await change({ receivers: [] });
    await until("it is forgotten", () => JSON.parse(readFileSync(file, "utf8")).secrets.length === 0);
  });
});

describe("a collector that root names in the host file", () => {
  const time = passingTime();
  let collector: OtlpCollector;
  let agent: CheckedAgent;
  before(async () => {
    collector = await startCollector();
    const hostFile = join(etc, "collector.json");
    mkdirSync(etc, { recursive: true });
    const otlp = { url: collector.url, interval: "1m" };
    writeFileSync(hostFile, JSON.stringify({ telemetry: { otlp } }), { mode: 0o600 });
    const openClock = time.servedClock();
    agent = await startCheckedAgent({ arguments: ["--host-file", hostFile], time, openClock });
    await agent.signedInAdmin();
  });
  after(async () => {
    await agent.dispose();
    await collector.stop();
  });

  it("gets the events and the metrics by the protocol, and no receiver is asked for", async () => {
    time.pass(3);
    await until("the outbox is open", async () => {
      const { json } = await agent.call("GET", "/api/notifications", { local: true });
      return json.receivers.length === 1;
    });
    await agent.call("PUT", "/api/system", { local: true, body: { device: { name: "pump 7" } } });
    await until("both have arrived", () => {
      time.pass(5);
      return ["/v1/logs", "/v1/metrics"].every((path) => collector.received.some((one) => one.path === path));
    });
    assert.deepEqual(collector.faults, []);
    const textOf = (path: string) =>
      JSON.stringify(collector.received.filter((one) => one.path === path).map(({ json }) => json));
    assert.match(textOf("/v1/logs"), /steward\.settings\.changed/);
    assert.match(textOf("/v1/metrics"), /steward_device_state/);
    const { json } = await agent.call("GET", "/api/status", { local: true });
    assert.ok(!json.needs.some(({ code }: { code: string }) => code === "no_receiver"));
    const list = await agent.call("GET", "/api/notifications", { local: true });
    const [{ name, kind, secret_set, last_error }] = list.json.receivers;
    assert.deepEqual([name, kind, secret_set, last_error], ["otlp", "otlp", null, null]);
  });

  it("fails a test that it refuses, and its words are the last error", async () => {
    collector.answer = [400, '{"message":"too old"}'];
    const { socket, stateDirectory } = agent;
    const { code, stdout, stderr } = await runSteward([
      ...["notify", "test", "otlp", "--socket", socket, "--state", stateDirectory],
    ]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /answered 400 Bad Request: “too old”\. The refused part is not sent again/);
    const { json } = await agent.call("GET", "/api/notifications", { local: true });
    assert.match(json.receivers[0].last_error?.detail ?? "", /“too old”/);
  });
});
