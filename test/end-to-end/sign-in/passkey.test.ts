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
  let passkeys: string;
  /** As a page of the console, which was opened under this name. */
  const fromPage = (name = "localhost") => {
    const host = `${name}:${agent.port}`;
    return { host, origin: `http://${host}` };
  };
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = fromPage()) =>
    agent.call(method, path, { token: admin.token, headers, ...(body && { body }) });
  const login = (headers?: Record<string, string>) =>
    call("POST", "/api/auth/login", { username: adminName, password: adminPassword }, headers);
  const detailsOf = async (type: string) =>
    (await agent.read(`/api/events?type=${type}&limit=1`)).items[0].details;
  before(async () => {
    admin = await agent.signedInAdmin();
    await enrol(agent.call, { ...admin, password: adminPassword });
    page = { origin: fromPage().origin, host: "localhost" };
    passkeys = `/api/users/${admin.id}/2fa/passkeys`;
  });

  it("is added with a name, and shown with the second factor and in the events", async () => {
    const begun = await call("POST", `${passkeys}/begin`);
    assert.deepEqual([begun.json.host, begun.json.known], ["localhost", []], begun.text);
    const body = { name: "Phone", ...phone.make(begun.json.challenge, page) };
    const added = await call("POST", passkeys, body);
    assert.deepEqual([added.status, added.json.name], [200, "Phone"], added.text);
    assert.deepEqual((await agent.read(`/api/users/${admin.id}/2fa`)).passkeys, [added.json]);
    assert.equal(await outcome(call("POST", passkeys, body)), "401 passkey_invalid");
    assert.deepEqual(await detailsOf("two_factor.passkey_added"), { role: "admin", passkey: "Phone" });
  });

  it("is asked for at a sign-in of its page only, and opens a session that is stepped up", async () => {
    const otherPort = { ...fromPage(), origin: "http://localhost:1" };
    for (const headers of [{}, fromPage("127.0.0.1"), otherPort]) {
      const { json } = await login(headers);
      assert.deepEqual([json.code, json.passkey], ["totp_required", undefined]);
    }
    const { json } = await login();
    assert.deepEqual([json.passkey.host, json.passkey.credentials], ["localhost", [{ id: phone.id }]]);
    const passkey = phone.use(json.passkey.challenge, page);
    const answer = (challenge_token: string) =>
      agent.call("POST", "/api/auth/totp", { body: { challenge_token, passkey }, headers: fromPage() });
    const session = await answer(json.challenge_token);
    assert.equal(session.status, 200, session.text);
    assert.equal((await detailsOf("sign_in.succeeded")).method, "passkey");
    admin = { ...admin, token: session.json.access_token };
    assert.equal((await call("POST", `${passkeys}/begin`)).status, 200);
    const repeated = answer((await login()).json.challenge_token);
    assert.equal(await outcome(repeated), "401 passkey_invalid");
  });

  it("steps up with the password, which is asked for first", async () => {
    const reauth = (proof: object) => call("POST", "/api/auth/reauth", proof);
    const wrong = (await reauth({ password: "three foxes under a bridge" })).json;
    assert.deepEqual([wrong.code, wrong.passkey], ["password_wrong", undefined]);
    const asked = (await reauth({ password: adminPassword })).json;
    assert.equal(asked.code, "totp_required");
    const passkey = phone.use(asked.passkey.challenge, page);
    assert.equal((await reauth({ password: adminPassword, passkey })).json.expires_in, 300);
  });

  it("is removed, and is no longer asked for; the codes stay", async () => {
    const [{ id }] = (await agent.read(`/api/users/${admin.id}/2fa`)).passkeys;
    assert.equal((await call("DELETE", `${passkeys}/${id}`)).status, 204);
    assert.equal((await detailsOf("two_factor.passkey_removed")).passkey, "Phone");
    const { json } = await login();
    assert.deepEqual([json.code, json.passkey], ["totp_required", undefined]);
  });
});
