import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { type CheckedAgent, goodPassword, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { adminPassword, stepUp } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { runSteward } from "../../lab/command-line/run-steward.ts";
import { type OtlpCollector, startCollector } from "../../lab/host/otlp-collector.ts";
import { startWebServer } from "../../lab/host/web-server.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly events: readonly {
      readonly type: string;
      readonly title: string;
      readonly text: string;
      readonly details: Readonly<Record<string, unknown>>;
    }[];
  };
}

/** A webhook's server; `status` is its answer from now on. */
async function startHook() {
  const received: Received[] = [];
  const hook = { received, status: 204, url: "", stop: async () => undefined as unknown };
  const { url, stop } = await startWebServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(hook.status).end();
    });
  });
  return Object.assign(hook, { url, stop });
}

/** The messages so far, each signed with that secret. */
const toldOf = (received: readonly Received[], secret: string): Told[] =>
  received.map(
    ({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>) as Told,
  );

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
  let hook: Awaited<ReturnType<typeof startHook>>;
  let agent: CheckedAgent;
  let token: string;
  let secret = "";
  before(async () => {
    hook = await startHook();
    agent = await startNotifyingAgent(time);
    token = (await agent.signedInAdmin()).token;
  });
  after(async () => {
    await agent.dispose();
    await hook.stop();
  });

  const notify = (...words: string[]) =>
    runSteward(["notify", ...words, "--socket", agent.socket, "--state", agent.stateDirectory]);
  const needs = async (): Promise<string[]> => {
    const json = await agent.read("/api/status");
    return json.needs.map(({ code }: { code: string }) => code);
  };
  const change = (settings: object) =>
    agent.call("PUT", "/api/system", { local: true, body: { notify: settings } });
  const alerts = () => ({ name: "alerts", kind: "webhook", url: `${hook.url}/hook`, takes: "all" });

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

  it("ask for a secret, get one that is shown once, and answer the test of `steward notify test`", async () => {
    assert.equal((await change({ receivers: [alerts()] })).status, 200);
    time.pass(10);
    assert.match(
      (await notify("test", "alerts")).stderr,
      /alerts has no secret.*steward notify secret alerts/s,
    );
    const made = await notify("secret", "alerts");
    assert.equal(made.code, 0, made.stderr);
    secret = made.stdout.trim();
    assert.match(secret, /^whsec_/);
    const tested = await notify("test", "alerts");
    assert.deepEqual([tested.code, tested.stdout], [0, "204 No Content\n"], tested.stderr);
    assert.ok(toldOf(hook.received, secret).some(({ type }) => type === "steward.test"));
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
      return (await agent.read("/api/events?type=need.began")).items.length > 0;
    });
    const named = () =>
      toldOf(hook.received, secret)
        .flatMap(({ data }) => data.events)
        .find(({ details }) => details.need === "device_unnamed");
    await until("the message is there", () => {
      time.pass(5);
      return named() !== undefined;
    });
    assert.match(named()?.text ?? "", /It is shown by its host name/);
  });

  it("are a need after an hour of failures, until a message arrives", async () => {
    hook.status = 500;
    await agent.call("PUT", "/api/system", { local: true, body: { device: { name: "pump 7" } } });
    time.pass(61);
    await until("the end of the need is recorded", async () => {
      time.pass(30);
      const json = await agent.read("/api/events?type=need.ended");
      return json.items.length > 0;
    });
    await until("it fails", async () => {
      time.pass(5);
      const { json } = await agent.call("GET", "/api/notifications", { token });
      return /answered 500/.test(json.receivers[0].last_error?.detail ?? "");
    });
    assert.ok(!(await needs()).includes("receiver_failing"));
    time.pass(3_601);
    const json = await agent.read("/api/status");
    const need = json.needs.find(({ code }: { code: string }) => code === "receiver_failing");
    assert.match(need?.detail ?? "", /Messages do not reach alerts\./);
    assert.equal(need.remedy.line, "steward notify test alerts");
    hook.status = 204;
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

describe("an intruder with the session of an administrator", () => {
  const time = passingTime();
  let hook: Awaited<ReturnType<typeof startHook>>;
  let agent: CheckedAgent;
  let [token, secret] = ["", ""];
  const call = async (method: string, path: string, body: object) => {
    const { status, json, text } = await agent.call(method, path, { token, body });
    assert.ok(status < 300, text);
    return json;
  };
  const name = (...receivers: object[]) => call("PUT", "/api/system", { notify: { receivers } });
  const alerts = (path: string) => ({
    name: "alerts",
    kind: "webhook",
    url: `${hook.url}${path}`,
    takes: "all",
  });
  /** The events that came to this path, each with its words, once there is one whose title is like this. */
  const told = async (path: string, title: RegExp) => {
    const all = () =>
      toldOf(
        hook.received.filter((one) => one.path === path),
        secret,
      ).flatMap(({ id, data }) => data.events.map((event) => ({ ...event, id })));
    await until(`${title} is told`, () => {
      time.pass(5);
      return all().some((event) => title.test(event.title));
    });
    return all();
  };
  before(async () => {
    hook = await startHook();
    agent = await startNotifyingAgent(time);
    token = (await agent.signedInAdmin()).token;
    // Messages begin some seconds after the start.
    time.pass(3);
    await name(alerts("/hook"));
    secret = (await call("PUT", "/api/notifications/alerts/secret", {})).secret;
    await told("/hook", /set a receiver's secret/);
    hook.received.length = 0;
    await stepUp(agent.call, token, adminPassword);
  });
  after(async () => {
    await agent.dispose();
    await hook.stop();
  });

  it("makes no administrator, takes no backup, makes no token and lowers no policy unheard", async () => {
    await call("POST", "/api/users", { username: "eve", password: goodPassword, role: "admin" });
    const { id } = await call("POST", "/api/users", {
      username: "ben",
      password: goodPassword,
      role: "readonly",
    });
    await call("PUT", `/api/users/${id}`, { role: "admin" });
    const made = await agent.call("POST", "/api/system/backup", {
      token,
      body: { passphrase: "all that protects it" },
    });
    assert.equal(made.status, 200);
    await call("POST", "/api/tokens", { name: "later", scopes: ["updates:apply"], expires_in: "366d" });
    await call("PUT", "/api/system", { security: { session_idle: "24h" } });
    const events = await told("/hook", /changed settings/);
    const text = (title: RegExp) => events.find((event) => title.test(event.title))?.text ?? "";
    const titles = [
      /made eve an administrator/,
      /made ben an administrator/,
      /made a backup/,
      /created the API token later/,
      /changed settings/,
    ];
    for (const title of titles)
      assert.match(
        text(title),
        /, from 127\.0\.0\.1\. .*If this was not expected: undo it, end the sessions of /,
      );
    assert.match(text(/API token/), /Valid until: \d{4}-.* Allowed: updates:apply\. /);
    assert.match(text(/settings/), /Changed: security\.session_idle\./);
    assert.ok(
      !events.some(({ title }) => / ben$/.test(title)),
      "that of a reader without rights is no message",
    );
  });

  it("sends messages nowhere else unheard: the address of before has who did it, and nothing after that", async () => {
    hook.received.length = 0;
    await name(alerts("/other"));
    const [last] = (await told("/hook", /changed settings/)).filter(({ id }) => id.endsWith("-last"));
    assert.match(
      last?.text ?? "",
      /Changed: notify\.receivers\. .* The receiver alerts now has other settings/,
    );
    assert.doesNotMatch(last?.text ?? "", /other"|http/, "the new address is not told to the old one");
    await told("/other", /changed settings/);
    hook.received.length = 0;
    await name();
    assert.match(
      (await told("/other", /changed settings/)).at(-1)?.text ?? "",
      /The receiver alerts was removed: /,
    );
    assert.deepEqual(
      hook.received.filter(({ path }) => path === "/hook"),
      [],
    );
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
      const json = await agent.read("/api/notifications");
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
    const json = await agent.read("/api/status");
    assert.ok(!json.needs.some(({ code }: { code: string }) => code === "no_receiver"));
    const list = await agent.call("GET", "/api/notifications", { local: true });
    const [{ name, kind, secret_set, last_error }] = list.json.receivers;
    assert.deepEqual([name, kind, secret_set, last_error], ["otlp", "otlp", null, null]);
  });
});
