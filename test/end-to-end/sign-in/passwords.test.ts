import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent, startCheckedProcess } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

/** A host of this name, in a UTS namespace: names of fewer than four letters are not looked for, and this one's may be. */
const asPumpHouse = [
  ...["unshare", "--uts", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])],
  ...["sh", "-c", 'hostname pump-house && exec "$@"', "sh"],
];

/** Each rule once; all forms: test/accounts/users/password-rules.test.ts. */
const refused: [name: string, password: string, code: string][] = [
  ["fourteen characters of four bytes each", "🦦".repeat(14), "password_too_short"],
  ["257 characters", `${"quiet otters borrow ".repeat(13).slice(0, 256)}!`, "password_too_long"],
  ["a common one", "passwordpassword", "password_blocklisted"],
  ["the user's name with a little more", "hildegard-1234567", "password_contains_identity"],
  ["the product's name with a common word", "steward-password", "password_contains_identity"],
];

const accepted: [name: string, password: string][] = [
  ["fifteen characters of four bytes each", "🦦🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤"],
  ["256 characters", "quiet otters borrow umbrellas while ".repeat(8).slice(0, 256)],
];

describe("a new password", () => {
  let path: string;
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    await agent.signedInAdmin();
    const body = { username: "hildegard", role: "readonly", password: goodPassword };
    path = `/api/users/${(await agent.call("POST", "/api/users", { body, local: true })).json.id}`;
  });

  const set = (password: string) =>
    agent.call("POST", `${path}/password-reset`, { body: { password }, local: true });

  for (const [name, password, code] of refused) {
    it(`is refused when it is ${name}: ${code}`, async () => {
      const { status, json } = await set(password);
      assert.deepEqual([status, json.code], [422, code]);
      assert.ok(json.detail.length > 20, "says why");
    });
  }

  it("is refused when it is the device's name with a common word, once the device has one", async () => {
    const name = (text: string) =>
      agent.call("PUT", "/api/system", { body: { device: { name: text } }, local: true });
    assert.equal((await name("Millrace")).status, 200);
    assert.equal((await set("millrace-password")).json.code, "password_contains_identity");
    await name("");
  });

  it("is refused below the length that the settings ask for", async () => {
    const ask = (password_min_length: number) =>
      agent.call("PUT", "/api/system", { body: { security: { password_min_length } }, local: true });
    assert.equal((await ask(30)).status, 200);
    assert.equal((await set(goodPassword)).json.code, "password_too_short");
    assert.equal((await ask(15)).status, 200);
  });

  for (const [name, password] of accepted) {
    it(`is accepted when it is ${name}, and signs in`, async () => {
      const { status, text } = await set(password);
      assert.equal(status, 200, text);
      await agent.login("hildegard", password);
    });
  }

  it("is judged alike for a new user, for the own change and for setup's like", async () => {
    const body = { username: "newcomer", role: "readonly", password: "passwordpassword" };
    assert.equal(
      (await agent.call("POST", "/api/users", { body, local: true })).json.code,
      "password_blocklisted",
    );
    await set(goodPassword);
    const { token } = await agent.login("hildegard", goodPassword);
    const change = { current_password: goodPassword, new_password: "passwordpassword" };
    assert.equal(
      await outcome(agent.call("PUT", "/api/auth/password", { body: change, token })),
      "422 password_blocklisted",
    );
    await agent.login("hildegard", goodPassword);
  });
});

describe("a new password that is the host's name with a little more", () => {
  it("is refused", async (test) => {
    const agent = await startCheckedProcess({ prefix: asPumpHouse });
    test.after(() => agent.dispose());
    const create = (password: string) =>
      agent.call("POST", "/api/users", {
        local: true,
        body: { username: "gerda", role: "readonly", password },
      });
    assert.equal(await outcome(create("pump-house-1234567")), "422 password_contains_identity");
    assert.equal((await create(goodPassword)).status, 201);
  });
});
