import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../../lab/agents/answer-rules.ts";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("a token of rescue", () => {
  let environment: Record<string, string>;
  let path: string;
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    await agent.signedInAdmin();
    path = join(agent.runDirectory, "rescue-token");
    environment = {
      STEWARD_SOCKET: agent.socket,
      STEWARD_STATE: agent.stateDirectory,
      STEWARD_HOST_FILE: join(agent.runDirectory, "steward.json"),
    };
  });
  beforeEach(() => writeFileSync(environment.STEWARD_HOST_FILE ?? "", "{}"));

  const made = async (...options: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runSteward(["setup-token", "--rescue", ...options], {
      environment,
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^([0-9a-z]{5}-){3}[0-9a-z]{5}\n$/);
    return stdout.trim();
  };
  const setUp = (setup_token: string, username: string, password = goodPassword, named: object = {}) =>
    agent.call("POST", "/api/setup", { body: { setup_token, username, password, ...named } });
  const lastEvent = async () => {
    const json = await agent.read("/api/events?limit=1&type=setup.rescued");
    checkEvent(json.items[0]);
    return json.items[0];
  };

  it("makes another administrator once, who signs in; the others stay as they are", async () => {
    const { token } = await agent.login(adminName, adminPassword);
    const rescue = await made();
    const named = { display_name: "New Owner" };
    const { status, json } = await setUp(rescue, "new-owner", goodPassword, named);
    assert.deepEqual([status, json.role, json.must_change_password], [201, "admin", false]);
    assert.equal(json.display_name, named.display_name);
    await agent.login("new-owner", goodPassword);
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200);
    assert.equal(existsSync(path), false);
    assert.equal((await setUp(rescue, "another")).json.code, "setup_already_done");
    const { actor, details } = await lastEvent();
    assert.deepEqual([actor.name, details], ["new-owner", { is_new: true }]);
  });

  it("sets the password of an administrator, who loses second factor, locks, sessions and API tokens", async () => {
    const lost = await agent.signedIn("lost-admin", "admin");
    await enrol(agent.call, { id: lost.id, token: lost.token, password: goodPassword });
    const wanted = { name: "fleet", scopes: ["system:read"] };
    const { token } = await agent.login(adminName, adminPassword);
    const added = await runSteward(
      ["token", "add", "--user", "lost-admin", "--name", "fleet", "--scope", "system:read"],
      { environment },
    );
    assert.equal(added.code, 0, added.stderr);
    for (let tries = 0; tries < 6; tries += 1)
      await agent.call("POST", "/api/auth/login", { body: { username: "lost-admin", password: "wrong" } });
    // As it may be typed.
    const rescue = ` ${(await made()).toUpperCase()} `;
    const password = "seven quiet owls at dusk";
    const { status, json } = await setUp(rescue, "lost-admin", password, { display_name: "Another" });
    assert.equal(status, 201, JSON.stringify(json));
    assert.equal(json.display_name, "", "the name of a user who is there stays");
    assert.deepEqual([json.id, json.two_factor.enabled], [lost.id, false]);
    await agent.login("lost-admin", password);
    assert.equal((await agent.call("GET", "/api/auth/me", { token: lost.token })).status, 401);
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200, wanted.name);
    assert.deepEqual((await lastEvent()).details, { is_new: false, tokens_ended: 1 });
  });

  it("lets a disabled administrator in, and takes no other user's place", async () => {
    const { id } = await agent.signedIn("off-admin", "admin");
    await agent.call("PATCH", `/api/users/${id}`, { body: { enabled: false }, local: true });
    assert.equal((await setUp(await made(), "off-admin", "seven quiet owls at dusk")).status, 201);
    await agent.login("off-admin", "seven quiet owls at dusk");
    await agent.signedIn("reader", "readonly");
    const rescue = await made();
    assert.equal(await outcome(setUp(rescue, "reader")), "409 username_taken");
    // It was not used.
    assert.equal((await setUp(rescue, "after-reader")).status, 201);
  });

  it("stands on the terminal and above the login prompt, with the address to open", async () => {
    writeFileSync(environment.STEWARD_HOST_FILE ?? "", '{"https": {"enabled": true, "port": 9443}}');
    const issue = join(agent.runDirectory, "issue.d/rescue.issue");
    const terminal = join(agent.runDirectory, "terminal");
    writeFileSync(terminal, "");
    const words = ["announce-rescue", "--issue", issue, "--terminal", terminal];
    const { code, stdout, stderr } = await runSteward(words, { environment });
    assert.equal(code, 0, stderr);
    assert.equal(readFileSync(terminal, "utf8"), stdout.replaceAll("\n", "\r\n"));
    assert.equal(readFileSync(issue, "utf8"), stdout);
    assert.equal(
      statSync(issue).mode & 0o777,
      0o600,
      "agetty is root, and other users must not read the token",
    );
    const [token = ""] = /([0-9a-z]{5}-){3}[0-9a-z]{5}/.exec(stdout) ?? [];
    assert.match(stdout, new RegExp(`https://\\S+\\.local:9443/#setup=${token}$`, "m"));
    assert.match(stdout, /^[ -~\n]+$/);
    assert.ok(stdout.split("\n").every((line) => line.length <= 80));
    assert.equal((await setUp(token, "from-terminal")).status, 201);
  });

  it("is not made where the host file forbids it, and the terminal says so", async () => {
    writeFileSync(environment.STEWARD_HOST_FILE ?? "", '{"kernel_rescue": false}');
    const { code, stdout } = await runSteward(["announce-rescue"], { environment });
    assert.equal(code, 5);
    assert.match(stdout, /has no effect: .* says kernel_rescue: false\./);
    assert.equal(existsSync(path), false);
  });

  it("is not made where the host file cannot be used, and the accepted one forbids it", async (test) => {
    const hostFile = environment.STEWARD_HOST_FILE ?? "";
    writeFileSync(hostFile, "{");
    writeFileSync(`${hostFile}.accepted`, '{"kernel_rescue": false}');
    test.after(() => rmSync(`${hostFile}.accepted`));
    const { code } = await runSteward(["announce-rescue"], { environment });
    assert.equal(code, 5);
    assert.equal(existsSync(path), false);
  });
});
