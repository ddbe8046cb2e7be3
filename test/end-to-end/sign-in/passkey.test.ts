import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { softwarePasskey } from "../../../lab/basics/software-passkey.ts";

describe("a passkey beside codes", () => {
  const agent = ofSuite(startCheckedAgent);
  const phone = softwarePasskey();
  let admin: { id: string; token: string };
  let page: { origin: string; host: string };
  /** As a page of the console, which was opened under this name. */
  const fromPage = (name = "localhost") => {
    const host = `${name}:${agent.port}`;
    return { host, origin: `http://${host}` };
  };
  const call = (method: string, path: string, body?: object) =>
    agent.call(method, path, { token: admin.token, headers: fromPage(), ...(body && { body }) });
  const passkeys = () => `/api/users/${admin.id}/2fa/passkeys`;
  const login = (headers: Record<string, string> = fromPage()) =>
    agent.call("POST", "/api/auth/login", {
      body: { username: adminName, password: adminPassword },
      headers,
    });
  before(async () => {
    const made = await agent.signedInAdmin();
    admin = { id: made.id, token: made.token };
    await enrol(agent.call, { ...admin, password: adminPassword });
    page = { origin: fromPage().origin, host: "localhost" };
  });

  it("is added with a name, and shown with the second factor and in the events", async () => {
    const begun = await call("POST", `${passkeys()}/begin`);
    assert.deepEqual([begun.status, begun.json.host, begun.json.known], [200, "localhost", []], begun.text);
    const body = { name: "Phone", ...phone.make(begun.json.challenge, page) };
    const added = await call("POST", passkeys(), body);
    assert.deepEqual([added.status, added.json.name], [200, "Phone"], added.text);
    const { json } = await call("GET", `/api/users/${admin.id}/2fa`);
    assert.deepEqual(json.passkeys, [added.json]);
    assert.equal(await outcome(call("POST", passkeys(), body)), "401 passkey_invalid");
    const { items } = (await call("GET", "/api/events?type=two_factor.passkey_added")).json;
    assert.deepEqual(items[0].details, { role: "admin", passkey: "Phone" });
  });

  it("is asked for at a sign-in of its page only, and opens a session that is stepped up", async () => {
    const otherPort = { ...fromPage(), origin: "http://localhost:1" };
    for (const headers of [{}, fromPage("127.0.0.1"), otherPort]) {
      const { status, json } = await login(headers);
      assert.deepEqual([status, json.code, json.passkey], [401, "totp_required", undefined]);
    }
    const { json } = await login();
    assert.deepEqual([json.passkey.host, json.passkey.credentials], ["localhost", [{ id: phone.id }]]);
    const passkey = phone.use(json.passkey.challenge, page);
    const body = { challenge_token: json.challenge_token, passkey };
    const session = await agent.call("POST", "/api/auth/totp", { body, headers: fromPage() });
    assert.equal(session.status, 200, session.text);
    admin = { ...admin, token: session.json.access_token };
    const { items } = (await call("GET", "/api/events?type=sign_in.succeeded")).json;
    assert.equal(items[0].details.method, "passkey");
    assert.equal((await call("POST", `${passkeys()}/begin`)).status, 200);
    const repeated = await login();
    const stale = { challenge_token: repeated.json.challenge_token, passkey };
    assert.equal(
      await outcome(agent.call("POST", "/api/auth/totp", { body: stale, headers: fromPage() })),
      "401 passkey_invalid",
    );
  });

  it("steps up with the password, which is asked for first", async () => {
    const wrong = await call("POST", "/api/auth/reauth", { password: "three foxes under a bridge" });
    assert.deepEqual([wrong.status, wrong.json.code, wrong.json.passkey], [403, "password_wrong", undefined]);
    const asked = await call("POST", "/api/auth/reauth", { password: adminPassword });
    assert.equal(asked.json.code, "totp_required", asked.text);
    const passkey = phone.use(asked.json.passkey.challenge, page);
    const done = await call("POST", "/api/auth/reauth", { password: adminPassword, passkey });
    assert.deepEqual([done.status, done.json.expires_in], [200, 300], done.text);
  });

  it("is removed, and is no longer asked for; the codes stay", async () => {
    const { json } = await call("GET", `/api/users/${admin.id}/2fa`);
    const removed = await call("DELETE", `${passkeys()}/${json.passkeys[0].id}`);
    assert.equal(removed.status, 204, removed.text);
    const { items } = (await call("GET", "/api/events?type=two_factor.passkey_removed")).json;
    assert.deepEqual([items.length, items[0].details.passkey], [1, "Phone"]);
    const { json: asked } = await login();
    assert.deepEqual([asked.code, asked.passkey], ["totp_required", undefined]);
    assert.equal((await call("GET", `/api/users/${admin.id}/2fa`)).json.enabled, true);
  });
});
