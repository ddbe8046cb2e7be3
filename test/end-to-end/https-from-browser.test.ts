import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { goodPassword, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { rootsHand } from "../../lab/agents/roots-hand.ts";
import {
  adminName,
  adminPassword,
  type CallOptions,
  outcome,
  type RunningAgent,
  stepUp,
} from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { makeRescueToken } from "../../src/accounts/sign-in/rescue-token.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { userScopes } from "../../src/contract/scopes.ts";

const elsewhere = "192.0.2.9";

const enable = (agent: RunningAgent, sent: CallOptions) => agent.call("POST", "/api/system/tls", sent);

describe("HTTPS, switched on over the network", () => {
  const root = rootsHand();
  const time = standingTime();
  const agent = ofSuite(async () => {
    root.agent = await startCheckedAgent({
      time,
      helper: root.helper,
      arguments: ["--host-file", root.hostFile],
    });
    return root.agent as Awaited<ReturnType<typeof startCheckedAgent>>;
  });
  const tokens = new Map<string, string>();
  before(async () => {
    root.port = await heldPort();
    tokens.set("admin", (await agent.signedInAdmin()).token);
    for (const role of ["operator", "readonly"] as const)
      tokens.set(role, (await agent.signedIn(`a-${role}`, role)).token);
    tokens.set("a stolen session", (await agent.login(adminName, adminPassword)).token);
    // A sign-in counts as a password given, for five minutes.
    time.pass(5 * 60 + 1);
    await stepUp(agent.call, tokens.get("admin") ?? "", adminPassword);
    const scopes = userScopes.filter((scope) => scope !== "product:use");
    const body = { name: "all", scopes };
    const { json } = await agent.call("POST", "/api/tokens", { token: tokens.get("admin"), body });
    tokens.set("an API token", json.token);
  });
  beforeEach(() => root.decide({}));
  const enabled = async () => (await agent.read("/api/events?type=https.enabled")).items;
  const local = () => `127.0.0.1:${agent.port}`;
  /** As `steward setup-token --rescue` makes it, by the time of this agent. */
  const rescueToken = () => {
    const { token, text } = makeRescueToken(time.uptime());
    writeFileSync(join(agent.runDirectory, "rescue-token"), text);
    return token;
  };

  type Row = readonly [attacker: string, who: string, sent: () => CallOptions, wanted: string];
  const required = "403 setup_token_required";
  const rows: readonly Row[] = [
    ["a stranger", "nobody", () => ({}), "401 authentication_required"],
    ["a reader", "readonly", () => ({}), "403 forbidden"],
    ["an operator", "operator", () => ({}), "403 forbidden"],
    ["a thief of an API token with every scope", "an API token", () => ({}), "403 token_not_allowed"],
    ["a thief of a session without the password", "a stolen session", () => ({}), "401 step_up_required"],
    ["a client of a trusted proxy", "admin", () => ({ from: elsewhere }), required],
    ["one who says through it that they are this device", "admin", () => ({ from: "::1" }), required],
    ...["x-forwarded-for", "x-forwarded-proto", "forwarded", "via", "x-real-ip"].map(
      (name): Row => [
        `a client of a proxy that sends ${name}`,
        "admin",
        () => ({ headers: { [name]: "x" } }),
        required,
      ],
    ),
    [
      "a client of a proxy that passes on the name which they asked for",
      "admin",
      () => ({ headers: { host: `192.0.2.7:${agent.port}` } }),
      required,
    ],
    [
      "a page of such a proxy that does not",
      "admin",
      () => ({ headers: { host: local(), origin: "https://edge-7.example.net" } }),
      required,
    ],
    [
      "a page of another origin on this device",
      "admin",
      () => ({ headers: { host: local(), origin: "http://127.0.0.1:3000" } }),
      required,
    ],
    ["a page in a frame without an origin", "admin", () => ({ headers: { origin: "null" } }), required],
    [
      "a name that leads to loopback",
      "admin",
      () => ({ headers: { host: `rebound.example:${agent.port}` } }),
      "421 misdirected_request",
    ],
    [
      "one who guesses at root's token",
      "admin",
      () => ({ from: elsewhere, body: { setup_token: "abcde-fghjk-mnpqr-stuvw" } }),
      "401 setup_token_invalid",
    ],
  ];
  for (const [attacker, who, sent, wanted] of rows)
    it(`is refused to ${attacker}: root is not asked`, async () => {
      const before = (await enabled()).length;
      assert.equal(await outcome(enable(agent, { token: tokens.get(who), ...sent() })), wanted);
      assert.deepEqual(root.orders, []);
      assert.equal(readFileSync(root.hostFile, "utf8"), "{}");
      assert.equal((await enabled()).length, before);
    });

  for (const [where, headers] of [
    ["a program on the device", {}],
    ["its own page there", { host: "localhost:9000", origin: "http://localhost:9000" }],
    ["its own page at the address", { host: "[::1]:8470", origin: "http://[::1]:8470" }],
  ] as const)
    it(`is switched on for an administrator by ${where}, with a certificate to take along`, async () => {
      assert.equal((await agent.read("/api/system/tls")).enabling, "open");
      const { status, json } = await enable(agent, { token: tokens.get("admin"), headers: { ...headers } });
      assert.deepEqual([status, json.enabled, json.listening, json.problem], [200, true, true, null]);
      assert.deepEqual([json.enabling, root.orders], ["decided", [{ word: "enable-https" }]]);
      const made = readFileSync(join(agent.stateDirectory, "tls/certificate.pem"), "utf8");
      assert.equal(json.certificate.pem, made);
      const [event] = await enabled();
      checkEvent(event);
      assert.deepEqual([event.actor.name, event.details], [adminName, { because: "from_device" }]);
      const again = await enable(agent, { token: tokens.get("admin") });
      assert.deepEqual([again.status, (await enabled())[0].id], [200, event.id], "no second event");
      assert.equal(root.orders.length, 1);
    });

  it("is switched on from elsewhere by root's token, once, and not by one that failed", async () => {
    const token = tokens.get("admin");
    const setup_token = rescueToken();
    const sent = { token, from: elsewhere, body: { setup_token } };
    root.fault = new StewardError("rate_limited", "Root has had too many.", {
      details: { retryAfterSeconds: 60 },
    });
    const { port } = root;
    root.port = 0;
    assert.equal(await outcome(enable(agent, sent)), "429 rate_limited");
    Object.assign(root, { fault: null, port });
    assert.equal((await enable(agent, sent)).status, 200);
    assert.deepEqual((await enabled())[0].details, { because: "token_of_root" });
    assert.equal(existsSync(join(agent.runDirectory, "rescue-token")), false);
    await root.decide({});
    assert.equal(await outcome(enable(agent, sent)), "401 setup_token_invalid");
    // docs/design/throttling.md: 20 failures of a client in ten minutes.
    const outcomes = new Set<string>();
    for (let tries = 0; tries < 21; tries += 1)
      outcomes.add(await outcome(time.passUntil(enable(agent, sent))));
    assert.deepEqual([...outcomes], ["401 setup_token_invalid", "429 too_many_attempts"]);
  });

  it("stays off where root has decided so, for everyone and with root's token", async () => {
    await root.decide({ https: { enabled: false } });
    assert.equal((await agent.read("/api/system/tls")).enabling, "decided");
    const token = tokens.get("admin");
    for (const body of [{}, { setup_token: rescueToken() }])
      assert.equal(await outcome(enable(agent, { token, body })), "409 pinned_by_host");
    assert.deepEqual(root.orders, []);
  });
});

describe("HTTPS, switched on after the setup", () => {
  const root = rootsHand();
  const time = standingTime();
  const agent = ofSuite(async () => {
    root.agent = await startCheckedAgent({
      time,
      helper: root.helper,
      arguments: ["--host-file", root.hostFile],
    });
    return root.agent as Awaited<ReturnType<typeof startCheckedAgent>>;
  });

  it("is open to the first administrator from anywhere for half an hour, and to no other", async () => {
    root.port = await heldPort();
    const setup_token = readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim();
    const made = { setup_token, username: "owner", password: goodPassword };
    assert.equal((await agent.call("POST", "/api/setup", { from: elsewhere, body: made })).status, 201);
    const owner = await agent.login("owner", goodPassword);
    const other = await agent.signedIn("another", "admin");
    await stepUp(agent.call, owner.token, goodPassword);
    const asked = (token: string) => outcome(enable(agent, { token, from: elsewhere }));
    assert.equal(await asked(other.token), "403 setup_token_required");
    assert.equal(await asked(owner.token), "200");
    const [event] = (await agent.read("/api/events?type=https.enabled")).items;
    assert.deepEqual([event.actor.name, event.details], ["owner", { because: "after_setup" }]);
    await root.decide({});
    const { token, text } = makeRescueToken(time.uptime());
    writeFileSync(join(agent.runDirectory, "rescue-token"), text);
    const rescued = { setup_token: token, username: "another", password: goodPassword };
    assert.equal((await agent.call("POST", "/api/setup", { from: elsewhere, body: rescued })).status, 201);
    const letIn = await agent.login("another", goodPassword);
    assert.equal(await asked(letIn.token), "200", "whom root's token has let in again");
    await root.decide({});
    time.pass(30 * 60 + 1);
    const later = await agent.login("owner", goodPassword);
    await stepUp(agent.call, later.token, goodPassword);
    assert.equal(await asked(later.token), "403 setup_token_required");
  });
});

describe("HTTPS, switched on where another program has the port", () => {
  const root = rootsHand();
  const agent = ofSuite(async () => {
    root.agent = await startAgentInProcess({
      helper: root.helper,
      arguments: ["--host-file", root.hostFile],
    });
    return root.agent;
  });

  it("is on, and says why it does not listen, although root's command has failed", async () => {
    const { token } = await agent.signedInAdmin();
    root.port = agent.port;
    root.fault = new StewardError("internal_error", "It failed with 1.");
    const { status, json } = await enable(agent, { token });
    assert.deepEqual([status, json.enabled, json.listening], [200, true, false]);
    assert.match(json.problem, new RegExp(`${agent.port}`));
  });
});

describe("HTTPS where there is no root helper", () => {
  const agent = ofSuite(startCheckedAgent);

  it("says so before and after an administrator asks for it", async () => {
    const { token } = await agent.signedInAdmin();
    assert.equal((await agent.read("/api/system/tls")).enabling, "unavailable");
    assert.equal(await outcome(enable(agent, { token })), "409 host_right_missing");
  });
});
