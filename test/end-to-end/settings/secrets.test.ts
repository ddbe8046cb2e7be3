import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { adminPassword, type RunningAgent, stepUp } from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { startWebServer, type WebServer } from "../../../lab/host/web-server.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { operations } from "../../../src/contract/operations.ts";
import { settings as settingsSchema } from "../../../src/contract/schemas/settings.ts";
import { secretsOf } from "../../../src/store/validation/secrets.ts";

const directory = scratchDirectory();
const hostFile = join(directory, "steward.json");

/** Each begins so, and nothing else does. */
const mark = /CANARY\w+/;

/** Members of the settings that the schema calls secret. */
function placesOf(schema: object, place = ""): string[] {
  const {
    "x-secret": form,
    properties = {},
    items,
  } = schema as { "x-secret"?: string; properties?: Record<string, object>; items?: object };
  return [
    ...(form === undefined ? [] : [place]),
    ...Object.entries(properties).flatMap(([name, member]) => placesOf(member, `${place}/${name}`)),
    ...(items ? placesOf(items, `${place}/*`) : []),
  ];
}

const hook = (name: string, url: string) => ({ name, kind: "webhook", takes: "all", url });

describe("a secret in each place of the settings and the host file", () => {
  /** The servers of all receivers: they answer with what they were asked for, as many do. */
  let server: WebServer;
  const bodies: string[] = [];
  let agent: RunningAgent;
  let admin: string;
  const tokens: Record<string, string> = {};
  let planted: Record<string, unknown>;

  before(async () => {
    server = await startWebServer((request, response) => {
      request.setEncoding("utf8").on("data", (piece: string) => void bodies.push(piece));
      request.on("end", () => response.writeHead(404).end(`Cannot ${request.method} ${request.url}`));
    });
    const allowed = { allow_local_servers: true };
    const telemetry = { otlp: { url: `${server.url}/v1/CANARYOTLP1` } };
    writeFileSync(hostFile, JSON.stringify({ notify: allowed, update: allowed, telemetry }), { mode: 0o600 });
    const time = passingTime();
    agent = await startAgentInProcess({
      arguments: ["--host-file", hostFile],
      ...{ time, openClock: time.servedClock() },
    });
    admin = (await agent.signedInAdmin()).token;
    planted = {
      update: { ota: { server: `${server.url}/CANARYSERVER1/steward` } },
      notify: {
        receivers: [
          hook("echo", `${server.url}/services/CANARYPATH1?key=CANARYQUERY1`),
          hook("chat", "https://hooks.chat.example/T0/CANARYCHAT1"),
          {
            ...{ name: "mail", kind: "mail", takes: "all", server: "127.0.0.1", port: 9, security: "tls" },
            ...{ username: "CANARYUSER1", from: "a@example.net", to: ["b@example.net"] },
          },
        ],
      },
    };
    const { status, text } = await agent.call("PUT", "/api/system", { body: planted, token: admin });
    assert.equal(status, 200, text);
    assert.match(text, mark, "administrators see what they edit");
    for (const role of ["operator", "readonly"]) {
      const person = { username: `some-${role}`, password: goodPassword };
      await agent.call("POST", "/api/users", { body: { ...person, role }, local: true });
      const { json } = await agent.call("POST", "/api/auth/login", { body: person });
      tokens[role] = json.access_token;
    }
    const scopes = "system:read system:write events:read updates:check logs:read metrics:read".split(" ");
    const made = await agent.call("POST", "/api/tokens", { body: { name: "t", scopes }, token: admin });
    assert.equal(made.status, 201, made.text);
    tokens["an administrator's API token"] = made.json.token;
    for (const name of ["echo", "mail"]) {
      await agent.call("PUT", `/api/notifications/${name}/secret`, {
        body: name === "mail" ? { secret: "CANARYPASSWORD1" } : {},
        token: admin,
      });
      const test = await agent.call("POST", `/api/notifications/${name}/test`, { token: admin });
      assert.equal(test.status, 200, test.text);
      assert.doesNotMatch(test.text, mark);
    }
    await until("all were asked", () =>
      ["/services/CANARYPATH1", "/v1/CANARYOTLP1"].every((path) =>
        server.requests.some(({ url = "" }) => url.startsWith(path)),
      ),
    );
  });
  after(async () => {
    await agent.dispose();
    await server.stop();
  });

  it("is planted in each that the schema marks", () => {
    const texts = JSON.stringify(planted);
    for (const place of placesOf(settingsSchema))
      assert.ok(texts.includes(`"${place.split("/").at(-1)}"`), place);
    for (const secret of secretsOf(settingsSchema, planted)) assert.match(secret, mark);
    assert.equal(secretsOf(settingsSchema, planted).length, 4);
  });

  for (const who of ["operator", "readonly", "an administrator's API token"])
    it(`is in no answer to ${who}`, async () => {
      const read: string[] = [];
      for (const { method, path, response } of Object.values(operations)) {
        if (method !== "GET" || path.includes("{") || "stream" in response) continue;
        const { status, text } = await agent.call("GET", path, { token: tokens[who] });
        assert.doesNotMatch(text, mark, `${path} to ${who}`);
        if (status === 200) read.push(path);
      }
      for (const path of ["/api/system", "/api/updates", "/api/status"])
        assert.ok(read.includes(path), `${path} was refused to ${who}`);
    });

  it("is with administrators in the settings and the address of the update server, and nowhere else", async () => {
    await stepUp(agent.call, admin, adminPassword);
    const shown: string[] = [];
    for (const [id, { method, path, response }] of Object.entries(operations)) {
      if (method !== "GET" || path.includes("{") || "stream" in response) continue;
      const { text } = await agent.call("GET", path, { token: admin });
      if (mark.test(text)) shown.push(id);
    }
    assert.deepEqual(shown, ["getSettings", "getUpdates"]);
  });

  it("is kept where an operator sends back what they were shown, and its tag counts", async () => {
    const token = tokens.operator;
    const shown = await agent.call("GET", "/api/system", { token });
    const { receivers } = shown.json.notify;
    assert.match(receivers[1].url, /^https:\/\/hooks\.chat\.example\/…[0-9a-f]{4}$/);
    const body = { ...shown.json, device: { name: "pump 7" } };
    const headers = { "if-match": String(shown.headers.etag) };
    const { status, text } = await agent.call("PUT", "/api/system", { body, token, headers });
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, mark);
    const { json } = await agent.call("GET", "/api/system", { token: admin });
    assert.deepEqual([json.notify, json.device.name], [planted.notify, "pump 7"]);
  });

  const steward = (...args: string[]) => runSteward([...args, "--socket", agent.socket]);

  it("is not in a difference, which still shows that it has changed", async () => {
    const receivers = [hook("chat", "https://hooks.chat.example/T0/CANARYCHAT2")];
    const file = join(directory, "changed.json");
    writeFileSync(file, JSON.stringify({ version: 1, settings: { notify: { receivers } } }));
    const { stdout } = await steward("apply", "--check", "--diff", file);
    assert.doesNotMatch(stdout, mark);
    const [former, next] = [...stdout.matchAll(/hooks\.chat\.example\/(…[0-9a-f]{4})/g)].map(
      ([, form]) => form,
    );
    assert.ok(former !== undefined && next !== undefined && former !== next, stdout);
  });

  it("is in no file of the support bundle, and the server is", async () => {
    const into = scratchDirectory();
    const environment = { STEWARD_HOST_FILE: hostFile };
    const args = ["doctor", "--bundle", join(into, "x.tgz"), "--state", agent.stateDirectory];
    const { stderr } = await runSteward([...args, "--socket", agent.socket], { environment });
    execFileSync("tar", ["-xzf", "x.tgz"], { cwd: into });
    const inside = join(into, "steward-doctor");
    for (const name of readdirSync(inside))
      assert.doesNotMatch(readFileSync(join(inside, name), "utf8"), mark, name);
    assert.match(
      readFileSync(join(inside, "settings.json"), "utf8"),
      /https:\/\/hooks\.chat\.example\/…/,
      stderr,
    );
  });

  it("is in no line of the log, no event, no message, and in the output of no other command", async () => {
    assert.doesNotMatch(agent.log(), mark);
    assert.match(agent.log(), /settings\.changed/);
    assert.ok(bodies.length > 1);
    for (const body of bodies) assert.doesNotMatch(body, mark);
    const events = join(agent.stateDirectory, "events");
    for (const name of readdirSync(events))
      assert.doesNotMatch(readFileSync(join(events, name), "latin1"), mark, name);
    const commands = [
      ["notify", "list", "-o", "json"],
      ["events", "-o", "json"],
      ["status", "-o", "json"],
      ["logs", "-o", "json"],
      ["doctor", "--state", agent.stateDirectory, "-o", "json"],
      ["state", "show", "settings", "--state", agent.stateDirectory],
    ];
    for (const words of commands) {
      const isOffline = words.includes("state");
      const { stdout, stderr } = await (isOffline ? runSteward(words) : steward(...words));
      assert.doesNotMatch(stdout + stderr, mark, words.join(" "));
    }
  });
});
