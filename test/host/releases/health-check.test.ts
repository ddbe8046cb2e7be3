import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { writeCommand } from "../../../lab/host/journal.ts";
import { createHealthCheck, type HealthCheckOptions } from "../../../src/host/linux/releases/health-check.ts";
import { createRunForRelease } from "../../../src/host/linux/releases/release-programs.ts";
import type { ApplyPlan, HealthPlan, HttpCheck, ReleaseAtWork } from "../../../src/host/release-ports.ts";

const release: ReleaseAtWork = { kind: "binary", version: "1.3.0", directory: "/var/lib/x/binary/current" };

function planOf(health: Partial<HealthPlan>, unit: string | null = null): ApplyPlan {
  const usual = { http: [], command: null, successes: 6, intervalSeconds: 5, withinSeconds: 300 };
  return { unit, activate: null, selfTest: null, health: { ...usual, ...health } };
}

function ask(plan: ApplyPlan, options: Partial<HealthCheckOptions> = {}) {
  return createHealthCheck({ units: null, run: createRunForRelease(), ...options })(plan, release);
}

/** An address of loopback that answers so, and what was asked of it. */
async function listen(test: TestContext, answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null, "the server listens");
  return { url: `http://127.0.0.1:${address.port}/health`, asked };
}

function check(url: string, more: Partial<HttpCheck> = {}): ApplyPlan {
  return planOf({ http: [{ url, status: 200, versionMember: null, ...more }] });
}

const impatient = { httpMilliseconds: 150, commandMilliseconds: 150 };

describe("the health of a release over HTTP", () => {
  it("is good where the address answers as is wanted, and bad otherwise", async (test) => {
    for (const [answered, wanted, words] of [
      [204, 204, "answered 204"],
      [503, 200, "answered 503 instead of 200"],
    ] as const) {
      const { url, asked } = await listen(test, (_, response) => void response.writeHead(answered).end());
      const answer = await ask(check(url, { status: wanted }));
      assert.deepEqual(answer, { isHealthy: answered === wanted, words: `${url} ${words}` });
      assert.deepEqual(asked, [`GET /health ${new URL(url).host}`]);
    }
  });

  it("is bad with the reason of a problem document, as one printable line that is not too long", async (test) => {
    const problem = { status: 503, detail: `no \u001b[2J password can be checked\n${"!".repeat(400)}` };
    const { url } = await listen(test, (_, response) => {
      response.writeHead(503, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
    });
    const { isHealthy, words } = await ask(check(url));
    assert.equal(isHealthy, false);
    assert.match(words, /answered 503 instead of 200: no {1,2}\[2J password can be checked !+…$/);
    assert.ok(words.length <= 300, `${words.length} characters`);
  });

  it("follows no redirect, not even to an address that is well", async (test) => {
    const well = await listen(test, (_, response) => void response.end());
    const { url } = await listen(
      test,
      (_, response) => void response.writeHead(302, { location: well.url }).end(),
    );
    assert.equal((await ask(check(url))).words, `${url} answered 302 instead of 200`);
    assert.deepEqual(well.asked, []);
  });

  const versions: [what: string, body: string, words: RegExp | null][] = [
    ["the release's", '{"name": "pump", "version": "1.3.0"}', null],
    ["the old one's", '{"version": "1.2.0"}', /says the version is 1\.2\.0, and 1\.3\.0 is expected$/],
    ["a number", '{"version": 1.3}', /says the version is 1\.3, and 1\.3\.0 is expected$/],
    ["one that would drive a terminal", '{"version": "1\\u001b[2J"}', /says the version is 1 \[2J, and/],
    ["one without end", `{"version": "${"9".repeat(5_000)}"}`, /9…, and 1\.3\.0 is expected$/],
    ["none", '{"build": "1.3.0"}', /without the member "version"$/],
    ["of a prototype", '{"__proto__": {"version": "1.3.0"}}', /without the member/],
    ["in a list", '["1.3.0"]', /without the member/],
    ["null", "null", /without the member/],
    ["no JSON", "1.3.0 is running", /without the member/],
    ["more than 64 KiB", `{"version": "1.3.0"${" ".repeat(65_536)}}`, /answered more than 64 KiB$/],
  ];
  for (const [what, body, words] of versions)
    it(`is ${words === null ? "good" : "bad"} where the version is ${what}`, async (test) => {
      const { url } = await listen(test, (_, response) => void response.end(body));
      const answer = await ask(check(url, { versionMember: "version" }));
      assert.equal(answer.isHealthy, words === null, answer.words);
      assert.match(answer.words, words ?? /answered 200, version 1\.3\.0$/);
    });

  it("is bad where a version is cut off, though what came of it is right", async (test) => {
    const { url } = await listen(test, (_, response) => {
      response.writeHead(200, { "content-length": "400" });
      response.write('{"version": "1.3.0"}', () => response.destroy());
    });
    const answer = await ask(check(url, { versionMember: "version" }));
    assert.deepEqual(answer, { isHealthy: false, words: `${url} broke off its answer` });
  });

  it("is bad where there is no answer in time, or its body drips without end", async (test) => {
    const dripping: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write(" "), 10);
      response.once("close", () => clearInterval(timer));
    };
    for (const answering of [() => undefined, dripping]) {
      const { url } = await listen(test, answering);
      const answer = await ask(check(url, { versionMember: "version" }), { patience: impatient });
      assert.deepEqual(answer, { isHealthy: false, words: `${url} did not answer within 0.15 s` });
    }
  });

  it("is good where the end of the connection is the end of the answer (RFC 9112 §6.3), and bad without HTTP", async (test) => {
    const body = `{"filler": "${"x".repeat(60_000)}", "version": "1.3.0"}`;
    for (const [bytes, isHealthy] of [
      [`HTTP/1.0 200 OK\r\n\r\n${body}`, true],
      ["SSH-2.0-OpenSSH\r\n", false],
      ["", false],
      ["HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", false],
    ] as const) {
      const answer = await ask(check(await listenRaw(test, bytes), { versionMember: "version" }));
      assert.equal(answer.isHealthy, isHealthy, answer.words);
    }
  });
});

/** An address of loopback where these bytes come, and then the end. */
async function listenRaw(test: TestContext, bytes: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined).once("data", () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => void server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null, "the server listens");
  return `http://127.0.0.1:${address.port}/`;
}

describe("the health of a release's unit", () => {
  const state = { isActive: true, isFailed: false, uncleanExits: 0, invocation: "a".repeat(32), words: "" };
  const units = (more: object) => ({ units: { state: async () => ({ ...state, ...more }) } });

  const failed = { isActive: false, words: "failed, exit status 1" };
  const silent = { units: { state: () => Promise.reject(new Error("systemctl took longer than 8 s")) } };
  it("is good where it is active alone", async () => {
    for (const [options, words] of [
      [units({}), "pump.service is active"],
      [units(failed), "pump.service is not active (failed, exit status 1)"],
      [silent, "systemctl took longer than 8 s"],
      [{}, "pump.service cannot be checked without systemd"],
    ] as const) {
      const answer = await ask(planOf({}, "pump.service"), options);
      assert.deepEqual(answer, { isHealthy: words.endsWith("is active"), words });
    }
  });
});

describe("the health of a release by a command", () => {
  for (const [script, words] of [
    ["true", /^\S+ ended with status 0$/],
    [
      "echo looking; echo 'no \u001b[31mpressure' >&2; exit 3",
      /ended with status 3: looking no {2}\[31mpressure$/,
    ],
    ["kill -9 $$", / was killed$/],
    ["echo waiting; sleep 60", /took longer than 0\.15 s: waiting$/],
  ] as const)
    it(`is ${script === "true" ? "good" : "bad"} where it does ${script}`, async (test) => {
      const command = writeCommand(test, "healthy", script);
      const patience = { ...impatient, commandMilliseconds: script.includes("sleep") ? 150 : 60_000 };
      const answer = await ask(planOf({ command: [command] }), { patience });
      assert.equal(answer.isHealthy, script === "true");
      assert.match(answer.words, words);
    });
});

describe("a look at a release with several checks", () => {
  it("is bad where one of them is, and names all that are", async (test) => {
    const { url } = await listen(test, (_, response) => void response.end());
    const answer = await ask(
      planOf({ http: [{ url, status: 201, versionMember: null }], command: ["/bin/false"] }, "a.service"),
    );
    assert.equal(answer.isHealthy, false);
    for (const part of ["without systemd", "answered 200 instead of 201", "/bin/false ended with status 1"])
      assert.ok(answer.words.includes(part), answer.words);
  });

  it("says no more than 300 characters, and is never good where there is nothing to look at", async () => {
    const url = `http://127.0.0.1:1/${"x".repeat(400)}`;
    const { isHealthy, words } = await ask(planOf({ http: [{ url, status: 200, versionMember: null }] }));
    assert.deepEqual([isHealthy, words.length], [false, 300]);
    assert.match((await ask(planOf({ command: ["/nowhere/healthy"] }))).words, /ENOENT/);
    assert.equal((await ask(planOf({}))).isHealthy, false);
  });
});
