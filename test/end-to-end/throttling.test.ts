import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { standingTime } from "../agent-in-process.ts";
import { type CheckedAgent, goodPassword, type SignedIn, startCheckedAgent } from "../http/checked-agent.ts";
import { type Answer, adminName, adminPassword } from "../running-agent.ts";
import { assertThrottled, fail, login, newAddress, wrongPassword } from "./guessing.ts";

/** What an answer tells, without what differs between any two. */
const told = ({ status, json, headers }: Answer) => ({
  status,
  body: { ...json, request_id: "" },
  headers: { ...headers, "x-request-id": "", date: "", "content-length": "" },
});

describe("wrong passwords", () => {
  // Their delays are over when a test says so.
  const time = standingTime();
  let agent: CheckedAgent;
  let admin: SignedIn;
  before(async () => {
    agent = await startCheckedAgent(time);
    admin = await agent.signedInAdmin();
  });
  after(() => agent.dispose());

  it("five from one source cost thirty seconds, in which the right one is not looked at either", async () => {
    const from = newAddress();
    for (const { status } of await fail(agent, from)) assert.equal(status, 401);
    assertThrottled(await login(agent, from, adminName, wrongPassword));
    assertThrottled(await login(agent, from, adminName, adminPassword));
    assert.equal((await login(agent, newAddress(), adminName, adminPassword)).status, 200, "another source");
    time.pass(29);
    assertThrottled(await login(agent, from, adminName, adminPassword), 1);
    time.pass(1);
    assert.equal((await login(agent, from, adminName, adminPassword)).status, 200, "thirty seconds later");
  });

  it("sent all at once are counted before they are looked at: no more than five are (parallel guessing)", async () => {
    const from = newAddress();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => login(agent, from, adminName, wrongPassword)),
    );
    const looked = all.filter(({ status }) => status === 401).length;
    assert.ok(looked >= 1 && looked <= 5, `${looked} were looked at`);
    const others = all.filter(
      ({ json }) => json.code === "hashing_busy" || json.code === "too_many_attempts",
    );
    assert.equal(looked + others.length, 20, "the others were not");
    for (const { status } of await fail(agent, from, adminName, 5 - looked)) assert.equal(status, 401);
    assertThrottled(await login(agent, from, adminName, adminPassword));
  });

  it("of a name that nobody has are answered and throttled alike, to the last header (user enumeration)", async () => {
    const [known, unknown] = [newAddress(), newAddress()];
    for (let count = 0; count < 7; count += 1) {
      const real = await login(agent, known, adminName, wrongPassword);
      const none = await login(agent, unknown, "nobody-of-this-name", wrongPassword);
      assert.deepEqual(told(none), told(real), `try ${count + 1}`);
      assert.equal(real.status, count < 5 ? 401 : 429);
    }
  });

  it("in a name of other letters count as the same name's", async () => {
    const from = newAddress();
    for (const name of ["Root-Admin", "ROOT-ADMIN", "rOOT-admin", adminName, "root-ADMIN"]) {
      await login(agent, from, name, wrongPassword);
    }
    assertThrottled(await login(agent, from, adminName, adminPassword));
  });

  it("before a right one are forgotten", async () => {
    const from = newAddress();
    await fail(agent, from, adminName, 4);
    assert.equal((await login(agent, from, adminName, adminPassword)).status, 200);
    for (const { status } of await fail(agent, from, adminName, 4)) assert.equal(status, 401);
    assert.equal((await login(agent, from, adminName, adminPassword)).status, 200);
  });

  it("at many names shut the source out of all of them, for ten minutes at most (password spraying)", async () => {
    const from = newAddress();
    for (let name = 0; name < 20; name += 1) await fail(agent, from, `sprayed-${name}`, 1);
    assertThrottled(await login(agent, from, adminName, adminPassword), 600);
  });

  it("over the local socket are never throttled", async () => {
    const tryLocally = (password: string) =>
      agent.call("POST", "/api/auth/login", { local: true, body: { username: adminName, password } });
    for (let count = 0; count < 50; count += 1) assert.equal((await tryLocally(wrongPassword)).status, 401);
    assert.equal((await tryLocally(adminPassword)).status, 200);
  });

  it("show an administrator who is locked, and he can unlock him", async () => {
    const victim = await agent.signedIn("victim", "readonly");
    const from = newAddress();
    const lockedNow = async (): Promise<string[]> => {
      const { json } = await agent.call("GET", "/api/users?locked=true", { token: admin.token });
      return json.items.map(({ username }: { username: string }) => username);
    };
    const shown = async () =>
      (await agent.call("GET", `/api/users/${victim.id}`, { token: admin.token })).json.locked;
    assert.deepEqual([await shown(), (await lockedNow()).includes("victim")], [null, false]);
    await fail(agent, from, "victim");
    const { password, totp, until } = await shown();
    assert.deepEqual([password, totp], [true, false]);
    const seconds = Date.parse(until) / 1_000 - time.nowSeconds();
    assert.ok(seconds > 29 && seconds < 31, `until ${until}, in ${seconds} s`);
    assert.ok((await lockedNow()).includes("victim"), "the list says so too");
    const { json } = await agent.call("GET", "/api/users?locked=false", { token: admin.token });
    assert.ok(!json.items.some((user: { username: string }) => user.username === "victim"), "locked=false");
    const unlocked = await agent.call("POST", `/api/users/${victim.id}/unlock`, { token: admin.token });
    assert.deepEqual([unlocked.status, unlocked.json.locked], [200, null]);
    assert.equal((await login(agent, from, "victim", goodPassword)).status, 200);
  });

  it("of strangers leave whoever signed in from elsewhere before alone", async () => {
    const home = newAddress();
    assert.equal((await login(agent, home, adminName, adminPassword)).status, 200);
    for (let source = 0; source < 21; source += 1) await fail(agent, newAddress());
    assert.equal(
      (await login(agent, home, adminName, adminPassword)).status,
      200,
      "a hundred failures later",
    );
    const stranger = newAddress();
    assert.equal((await login(agent, stranger, adminName, wrongPassword)).status, 401, "one try");
    assertThrottled(await login(agent, stranger, adminName, adminPassword), 60);
  });
});

describe("stale tokens", () => {
  let agent: CheckedAgent;
  before(async () => {
    agent = await startCheckedAgent(standingTime());
    await agent.signedInAdmin();
  });
  after(() => agent.dispose());

  /** 200 of them, twenty at a time, and then the right password from the same source. */
  const harmless = async (attempt: (from: string) => Promise<Answer>) => {
    const from = newAddress();
    for (let round = 0; round < 10; round += 1) {
      const all = await Promise.all(Array.from({ length: 20 }, () => attempt(from)));
      for (const { status } of all) assert.equal(status, 401);
    }
    await fail(agent, from, adminName, 4);
    assert.equal((await login(agent, from, adminName, adminPassword)).status, 200);
  };

  it("for access shut nobody out: a console that was left open is no attacker", async () => {
    const { token, refreshToken } = await agent.login(adminName, adminPassword);
    await agent.call("POST", "/api/auth/logout", { body: { refresh_token: refreshToken } });
    await harmless((from) => agent.call("GET", "/api/auth/me", { token, from }));
  });
  it("for refresh shut nobody out", async () => {
    const { refreshToken } = await agent.login(adminName, adminPassword);
    const body = { refresh_token: refreshToken };
    await agent.call("POST", "/api/auth/logout", { body });
    await harmless((from) => agent.call("POST", "/api/auth/refresh", { body, from }));
  });
  it("that were challenges shut nobody out", async () => {
    const body = { challenge_token: "stc_of-another-start-of-the-agent", code: "123456" };
    await harmless((from) => agent.call("POST", "/api/auth/totp", { body, from }));
  });
  it("of programs shut nobody out", async () => {
    await harmless((from) => agent.call("GET", "/api/system", { token: `stw_${"A".repeat(43)}`, from }));
  });
});
