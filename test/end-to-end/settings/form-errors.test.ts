import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

interface Told {
  pointer: string;
  code: string;
  detail: string;
}

describe("a form with several mistakes", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());

  const send = async (method: string, path: string, body: unknown) => {
    const { status, json } = await agent.call(method, path, { token: admin.token, body });
    const errors = (json.errors ?? []) as Told[];
    return { status, json, told: errors.map(({ pointer, code }) => `${pointer} ${code}`), errors };
  };

  it("of the settings hears of all that is not of their form, in words", async () => {
    const { status, json, errors } = await send("PUT", "/api/system", {
      security: { session_idle: "soon" },
      update: { ota: { channel: "Beta!" }, windows: [{ days: ["mon"], from: "25:00", to: "04:00" }] },
      console: { language: "english" },
    });
    assert.deepEqual([status, json.code], [400, "validation_failed"]);
    assert.deepEqual(
      new Map(errors.map(({ pointer, detail }) => [pointer, detail])),
      new Map([
        ["/security/session_idle", "must be a duration such as 30m, 6h or 7d"],
        [
          "/update/ota/channel",
          "must be 1 to 32 of a–z, 0–9, dot, underscore and hyphen, with a letter or figure first",
        ],
        ["/update/windows/0/from", "must be a time of day from 00:00 to 23:59"],
        ["/console/language", "must be a language such as en, de or pt-BR"],
      ]),
    );
  });

  it("of the settings hears of what a form cannot say in the same answer, and changes nothing", async () => {
    const before = (await agent.call("GET", "/api/system", { token: admin.token })).json;
    const { status, json, told } = await send("PUT", "/api/system", {
      device: { name: "edge 7" },
      security: { session_idle: "soon", session_absolute: "1m" },
      time: { servers: ["ntp.example:70000"] },
      update: { ota: { verify_signature: false, auto_update_binary: true, channel: 7 } },
      "more/or less": 1,
      ["__proto__"]: { polluted: true },
    });
    assert.deepEqual([status, json.code], [400, "validation_failed"]);
    assert.deepEqual(told.sort(), [
      "/__proto__ unknown_field",
      "/more~1or less unknown_field",
      "/security/session_absolute out_of_range",
      "/security/session_idle pattern",
      "/time/servers/0 out_of_range",
      "/update/ota/auto_update_binary not_allowed",
      "/update/ota/channel type",
      "/update/ota/verify_signature must_be_true",
    ]);
    assert.deepEqual((await agent.call("GET", "/api/system", { token: admin.token })).json, before);
  });

  it("that breaks rules alone has the code of the first, and names them all", async () => {
    const { status, json, told } = await send("PUT", "/api/system", {
      update: { ota: { verify_signature: false, check_interval: "1s", auto_update_binary: true } },
    });
    assert.deepEqual([status, json.code], [422, "signature_verification_required"]);
    assert.equal(told.length, 3);
    for (const name of ["verify_signature", "check_interval", "auto_update_binary"])
      assert.ok(json.detail.includes(name), json.detail);
  });

  it("for a new user hears of name and password at once", async () => {
    const taken = await send("POST", "/api/users", {
      username: "root-admin",
      role: "admin",
      password: "short",
    });
    assert.deepEqual([taken.status, taken.json.code], [409, "username_taken"]);
    assert.deepEqual(taken.told, ["/username username_taken", "/password password_too_short"]);
    const wrong = await send("POST", "/api/users", { username: "A", role: "boss", password: "short" });
    assert.deepEqual([wrong.status, wrong.json.code], [400, "validation_failed"]);
    assert.deepEqual(wrong.told.sort(), ["/password password_too_short", "/role enum", "/username pattern"]);
    assert.equal(
      await outcome(send("POST", "/api/users", { username: "anna", role: "readonly", password: "short" })),
      "422 password_too_short",
    );
    const { json } = await agent.call("GET", "/api/users", { token: admin.token });
    assert.equal(json.total, 1);
  });

  it("tells nothing of the rules to those who may not write", async () => {
    const { token } = await agent.signedIn("rita", "readonly");
    const body = { update: { ota: { verify_signature: false, channel: 7 } } };
    const { status, json } = await agent.call("PUT", "/api/system", { token, body });
    assert.deepEqual([status, json.code, json.errors], [403, "forbidden", undefined]);
  });
});
