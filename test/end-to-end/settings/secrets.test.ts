import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { adminPassword, stepUp } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { startWebServer } from "../../../lab/host/web-server.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { operations } from "../../../src/contract/operations.ts";
import { settings as settingsSchema } from "../../../src/contract/schemas/settings.ts";
import { secretsOf } from "../../../src/store/validation/secrets.ts";

const directory = scratchDirectory();
const hostFile = join(directory, "steward.json");

/** Each begins so, and nothing else does. */
const mark = /CANARY\w+/;

/** The names of the members of the settings that the schema calls secret. */
function secretMembersOf(schema: object, name = ""): string[] {
  type Part = { "x-secret"?: string; properties?: Record<string, object>; items?: object };
  const { "x-secret": form, properties = {}, items } = schema as Part;
  return [
    ...(form === undefined ? [] : [name]),
    ...Object.entries(properties).flatMap(([member, part]) => secretMembersOf(part, member)),
    ...(items ? secretMembersOf(items, name) : []),
  ];
}

const hook = (name: string, url: string) => ({ name, kind: "webhook", takes: "all", url });

describe("a secret in each place of the settings and the host file", () => {
  const bodies: string[] = [];
  /** The servers of all receivers: they answer with what they were asked for, as many do. */
  const server = ofSuite(async () => {
    const started = await startWebServer((request, response) => {
      request.setEncoding("utf8").on("data", (piece: string) => void bodies.push(piece));
      request.on("end", () => response.writeHead(404).end(`Cannot ${request.method} ${request.url}`));
    });
    return { ...started, dispose: started.stop };
  });
  const agent = ofSuite(() => {
    const allowed = { allow_local_servers: true };
    const telemetry = { otlp: { url: `${server.url}/v1/CANARYOTLP1` } };
    writeFileSync(hostFile, JSON.stringify({ notify: allowed, update: allowed, telemetry }), { mode: 0o600 });
    const time = passingTime();
    return startAgentInProcess({
      ...{ arguments: ["--host-file", hostFile], time, openClock: time.servedClock() },
    });
  });
  let admin: string;
  const tokens: Record<string, string> = {};
  let planted: Record<string, unknown>;

  before(async () => {
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
    const by = { token: admin };
    const { status, text } = await agent.call("PUT", "/api/system", { body: planted, ...by });
    assert.equal(status, 200, text);
    assert.match(text, mark, "administrators see what they edit");
    for (const role of ["operator", "readonly"]) {
      const person = { username: `some-${role}`, password: goodPassword };
      await agent.call("POST", "/api/users", { body: { ...person, role }, local: true });
      tokens[role] = (await agent.call("POST", "/api/auth/login", { body: person })).json.access_token;
    }
    const scopes = "system:read system:write events:read updates:check logs:read metrics:read".split(" ");
    const made = await agent.call("POST", "/api/tokens", { body: { name: "t", scopes }, ...by });
    tokens["an administrator's API token"] = made.json.token;
    for (const [name, body] of Object.entries({ echo: {}, mail: { secret: "CANARYPASSWORD1" } })) {
      await agent.call("PUT", `/api/notifications/${name}/secret`, { body, ...by });
      const test = await agent.call("POST", `/api/notifications/${name}/test`, by);
      assert.equal(test.status, 200, test.text);
      assert.doesNotMatch(test.text, mark);
    }
    await until("all were asked", () =>
      ["/services/CANARYPATH1", "/v1/CANARYOTLP1"].every((path) =>
        server.requests.some(({ url = "" }) => url.startsWith(path)),
      ),
    );
  });

  it("is planted in each that the schema marks", () => {
    const texts = JSON.stringify(planted);
    for (const name of secretMembersOf(settingsSchema)) assert.ok(texts.includes(`"${name}"`), name);
    const secrets = secretsOf(settingsSchema, planted);
    for (const secret of secrets) assert.match(secret, mark);
    assert.equal(secrets.length, 4);
  });

  /** The operations whose answer to a reading by this token has one, and those that answered. */
  const shownTo = async (token: string | undefined) => {
    const [shown, read]: [string[], string[]] = [[], []];
    for (const [id, { method, path, response }] of Object.entries(operations)) {
      if (method !== "GET" || path.includes("{") || "stream" in response) continue;
      const { status, text } = await agent.call("GET", path, { token });
      if (mark.test(text)) shown.push(id);
      if (status === 200) read.push(id);
    }
    return { shown, read };
  };
  for (const who of ["operator", "readonly", "an administrator's API token"])
    it(`is in no answer to ${who}`, async () => {
      const { shown, read } = await shownTo(tokens[who]);
      assert.deepEqual(shown, []);
      for (const id of ["getSettings", "getUpdates", "getStatus"]) assert.ok(read.includes(id), id);
    });

  it("is with administrators in the settings and the address of the update server, and nowhere else", async () => {
    await stepUp(agent.call, admin, adminPassword);
    assert.deepEqual((await shownTo(admin)).shown, ["getSettings", "getUpdates"]);
  });

  it("is kept where an operator sends back what they were shown, and its tag counts", async () => {
    const token = tokens.operator;
    const shown = await agent.call("GET", "/api/system", { token });
    assert.match(shown.json.notify.receivers[1].url, /^https:\/\/hooks\.chat\.example\/…[0-9a-f]{4}$/);
    const body = { ...shown.json, device: { name: "pump 7", contact: "fred@example.net" } };
    const headers = { "if-match": String(shown.headers.etag) };
    const { status, text } = await agent.call("PUT", "/api/system", { body, token, headers });
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, mark);
    const { notify, device } = await agent.read("/api/system");
    assert.deepEqual([notify, device.name], [planted.notify, "pump 7"]);
  });

  const steward = (...args: string[]) => runSteward([...args, "--socket", agent.socket]);
  const state = () => ["--state", agent.stateDirectory];

  it("is not in a difference, which still shows that it has changed", async () => {
    const receivers = [hook("chat", "https://hooks.chat.example/T0/CANARYCHAT2")];
    const file = join(directory, "changed.json");
    writeFileSync(file, JSON.stringify({ version: 1, settings: { notify: { receivers } } }));
    const { stdout } = await steward("apply", "--check", "--diff", file);
    assert.doesNotMatch(stdout, mark);
    const forms = stdout.match(/hooks\.chat\.example\/…[0-9a-f]{4}/g) ?? [];
    assert.equal(new Set(forms).size, 2, stdout);
  });

  it("is in no file of the support bundle, and the server is", async () => {
    const into = scratchDirectory();
    const url = `${agent.url}/api/system/support-bundle`;
    const response = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${admin}` } });
    assert.equal(response.headers.get("content-type"), "application/gzip");
    writeFileSync(join(into, "x.tgz"), Buffer.from(await response.arrayBuffer()));
    execFileSync("tar", ["-xzf", "x.tgz"], { cwd: into });
    const inside = join(into, "steward-doctor");
    const files = Object.fromEntries(
      readdirSync(inside).map((name) => [name, readFileSync(join(inside, name), "utf8")]),
    );
    for (const [name, text] of Object.entries(files)) {
      assert.doesNotMatch(text, mark, name);
      assert.doesNotMatch(text, /some-operator|fred@example/, `${name} names people`);
    }
    const named = [...(files.README ?? "").matchAll(/\b[a-z]+\.(?:txt|json)\b/g)].map(([name]) => name);
    assert.deepEqual(Object.keys(files).sort(), [...new Set(["README", ...named])].sort());
    assert.match(files["settings.json"] ?? "", /https:\/\/hooks\.chat\.example\/…/);
    assert.match(files["journal.txt"] ?? "", /listening/);
    const { findings } = JSON.parse(files["report.json"] ?? "");
    const answers = findings.filter(({ code }: { code: string }) => code === "answers");
    assert.equal(answers.length, 1, "doctor has asked another agent, or none");
  });

  it("is in no line of the log, no event, no message, and in the output of no other command", async () => {
    assert.doesNotMatch(agent.log(), mark);
    assert.match(agent.log(), /settings\.changed/);
    assert.ok(bodies.length > 1);
    for (const body of bodies) assert.doesNotMatch(body, mark);
    const events = join(agent.stateDirectory, "events");
    for (const name of readdirSync(events))
      assert.doesNotMatch(readFileSync(join(events, name), "latin1"), mark, name);
    for (const ended of [
      ...["notify list", "events", "status", "logs"].map((line) => steward(...line.split(" "), "-o", "json")),
      steward("doctor", ...state(), "-o", "json"),
      runSteward(["state", "show", "settings", ...state()]),
    ]) {
      const { stdout, stderr } = await ended;
      assert.doesNotMatch(stdout + stderr, mark);
    }
  });
});
