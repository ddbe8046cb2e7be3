import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { boxA } from "../boxes.ts";

/** All forms: test/accounts/users/password-rules.test.ts. */
describe("a new password", () => {
  const agent = ofSuite(() => startCheckedAgent({ identity: { ...boxA, hostname: "pump-house" } }));
  let path: string;
  before(async () => {
    await agent.signedInAdmin();
    path = `/api/users/${(await agent.signedIn("hildegard", "readonly")).id}`;
  });

  const set = (password: string) =>
    outcome(agent.call("POST", `${path}/password-reset`, { body: { password }, local: true }));
  const change = (body: object) => outcome(agent.call("PUT", "/api/system", { body, local: true }));

  it("is refused when it is the device's name with a common word, once the device has one", async () => {
    assert.equal(await set("pump-house-1234567"), "422 password_contains_identity", "the host's name");
    assert.equal(await set("hildegard-1234567"), "422 password_contains_identity", "the user's name");
    assert.equal(await set("steward-password"), "422 password_contains_identity", "the product's name");
    assert.equal(await change({ device: { name: "Millrace" } }), "200");
    assert.equal(await set("millrace-password"), "422 password_contains_identity");
    await change({ device: { name: "" } });
  });

  it("is refused below the length that the settings ask for", async () => {
    assert.equal(await change({ security: { password_min_length: 30 } }), "200");
    assert.equal(await set(goodPassword), "422 password_too_short");
    assert.equal(await change({ security: { password_min_length: 15 } }), "200");
    assert.equal(await set("🦦".repeat(14)), "422 password_too_short", "of four bytes each");
  });

  it("is judged alike for a new user and for the own change", async () => {
    const password = "passwordpassword";
    const added = { body: { username: "newcomer", role: "readonly", password }, local: true };
    assert.equal(await outcome(agent.call("POST", "/api/users", added)), "422 password_blocklisted");
    await set(goodPassword);
    const { token } = await agent.login("hildegard", goodPassword);
    const own = { token, body: { current_password: goodPassword, new_password: password } };
    assert.equal(await outcome(agent.call("PUT", "/api/auth/password", own)), "422 password_blocklisted");
    await agent.login("hildegard", goodPassword);
  });
});
