import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../../lab/agents/answer-rules.ts";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("a token of rescue", () => {
  const agent = ofSuite(startCheckedAgent);
  let hostFile: string;
  let path: string;
  before(async () => {
    await agent.signedInAdmin();
    hostFile = join(agent.runDirectory, "steward.json");
    path = join(agent.runDirectory, "rescue-token");
  });
  beforeEach(() => writeFileSync(hostFile, "{}"));

  const steward = (...words: string[]) =>
    runSteward(words, {
      environment: {
        ...{ STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory },
        STEWARD_HOST_FILE: hostFile,
      },
    });
  const made = async (): Promise<string> => {
    const { stdout, stderr } = await steward("setup-token", "--rescue");
    assert.match(stdout, /^([0-9a-z]{5}-){3}[0-9a-z]{5}\n$/, stderr);
    return stdout.trim();
  };
  const setUp = (setup_token: string, username: string, password = goodPassword) => {
    const body = { setup_token, username, password, display_name: "New Owner" };
    return agent.call("POST", "/api/setup", { body });
  };
  const me = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status;
  const lastEvent = async () => {
    const [event] = (await agent.read("/api/events?limit=1&type=setup.rescued")).items;
    checkEvent(event);
    return event;
  };
  const newPassword = "seven quiet owls at dusk";

  it("makes another administrator once, who signs in; the others stay as they are", async () => {
    const { token } = await agent.login(adminName, adminPassword);
    const rescue = await made();
    const { status, json } = await setUp(rescue, "new-owner");
    assert.deepEqual([status, json.role, json.must_change_password], [201, "admin", false]);
    assert.equal(json.display_name, "New Owner");
    await agent.login("new-owner", goodPassword);
    assert.deepEqual([await me(token), existsSync(path)], [200, false]);
    assert.equal((await setUp(rescue, "another")).json.code, "setup_already_done");
    const { actor, details } = await lastEvent();
    assert.deepEqual([actor.name, details], ["new-owner", { is_new: true }]);
  });

  it("sets the password of an administrator, who loses second factor, locks, sessions and API tokens", async () => {
    const lost = await agent.signedIn("lost-admin", "admin");
    await enrol(agent.call, { ...lost, password: goodPassword });
    const { token } = await agent.login(adminName, adminPassword);
    const words = ["token", "add", "--user", "lost-admin", "--name", "fleet", "--scope", "system:read"];
    assert.equal((await steward(...words)).code, 0);
    for (let tries = 0; tries < 6; tries += 1)
      await agent.call("POST", "/api/auth/login", { body: { username: "lost-admin", password: "wrong" } });
    // As it may be typed.
    const { json } = await setUp(` ${(await made()).toUpperCase()} `, "lost-admin", newPassword);
    assert.deepEqual([json.id, json.two_factor.enabled], [lost.id, false]);
    assert.equal(json.display_name, "", "the name of a user who is there stays");
    await agent.login("lost-admin", newPassword);
    assert.deepEqual([await me(lost.token), await me(token)], [401, 200]);
    assert.deepEqual((await lastEvent()).details, { is_new: false, tokens_ended: 1 });
  });

  it("lets a disabled administrator in, and takes no other user's place", async () => {
    const { id } = await agent.signedIn("off-admin", "admin");
    await agent.call("PUT", `/api/users/${id}`, { body: { enabled: false }, local: true });
    assert.equal((await setUp(await made(), "off-admin", newPassword)).status, 201);
    await agent.login("off-admin", newPassword);
    await agent.signedIn("reader", "readonly");
    const rescue = await made();
    assert.equal(await outcome(setUp(rescue, "reader")), "409 username_taken");
    assert.equal((await setUp(rescue, "after-reader")).status, 201, "it was not used");
  });

  it("stands on the terminal and above the login prompt, with the address to open", async () => {
    writeFileSync(hostFile, '{"https": {"enabled": true, "port": 9443}}');
    const [issue, terminal] = ["issue.d/rescue.issue", "terminal"].map((one) =>
      join(agent.runDirectory, one),
    );
    assert.ok(issue && terminal);
    writeFileSync(terminal, "");
    const words = ["announce-rescue", "--issue", issue, "--terminal", terminal];
    const { code, stdout, stderr } = await steward(...words);
    assert.equal(code, 0, stderr);
    assert.equal(readFileSync(terminal, "utf8"), stdout.replaceAll("\n", "\r\n"));
    assert.equal(readFileSync(issue, "utf8"), stdout);
    assert.equal(statSync(issue).mode & 0o777, 0o600, "agetty is root; others must not read the token");
    const [token = ""] = /([0-9a-z]{5}-){3}[0-9a-z]{5}/.exec(stdout) ?? [];
    assert.match(stdout, new RegExp(`https://\\S+\\.local:9443/#setup=${token}$`, "m"));
    assert.match(stdout, /^([ -~]{0,80}\n)+$/);
    assert.equal((await setUp(token, "from-terminal")).status, 201);
  });

  it("is not made where the host file forbids it, or cannot be used and the accepted one forbids it", async () => {
    for (const [text, accepted] of [
      ['{"kernel_rescue": false}', "{}"],
      ["{", '{"kernel_rescue": false}'],
    ] as const) {
      writeFileSync(hostFile, text);
      writeFileSync(`${hostFile}.accepted`, accepted);
      const { code, stdout } = await steward("announce-rescue");
      assert.deepEqual([code, existsSync(path)], [5, false], text);
      if (text !== "{") assert.match(stdout, /has no effect: .* says kernel_rescue: false\./);
    }
  });
});
