import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("a form with several mistakes", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());

  const send = async (method: string, path: string, body: unknown) => {
    const { status, json } = await agent.call(method, path, { token: admin.token, body });
    const errors = (json.errors ?? []) as { pointer: string; code: string; detail: string }[];
    const told = errors.map(({ pointer, code }) => `${pointer} ${code}`).sort();
    return { answer: `${status} ${json.code}`, detail: json.detail, told, errors };
  };

  it("of the settings hears of all that is not of their form, in words", async () => {
    const { answer, errors } = await send("PUT", "/api/system", {
      security: { session_idle: "soon" },
      update: { ota: { channel: "Beta!" }, windows: [{ days: ["mon"], from: "25:00", to: "04:00" }] },
      console: { language: "english" },
    });
    assert.equal(answer, "400 validation_failed");
    assert.deepEqual(Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail])), {
      "/security/session_idle": "must be a duration such as 30m, 6h or 7d",
      "/update/ota/channel":
        "must be 1 to 32 of a–z, 0–9, dot, underscore and hyphen, with a letter or figure first",
      "/update/windows/0/from": "must be a time of day from 00:00 to 23:59",
      "/console/language": "must be a language such as en, de or pt-BR",
    });
  });

  it("of the settings hears of what a form cannot say in the same answer, and changes nothing", async () => {
    const before = await agent.read("/api/system");
    const { answer, told } = await send("PUT", "/api/system", {
      device: { name: "edge 7" },
      security: { session_idle: "soon", session_absolute: "1m" },
      time: { servers: ["ntp.example:70000"] },
      update: { ota: { verify_signature: false, auto_update_binary: true, channel: 7 } },
      "more/or less": 1,
      ["__proto__"]: { polluted: true },
    });
    assert.equal(answer, "400 validation_failed");
    assert.deepEqual(told, [
      "/__proto__ unknown_field",
      "/more~1or less unknown_field",
      "/security/session_absolute out_of_range",
      "/security/session_idle pattern",
      "/time/servers/0 out_of_range",
      "/update/ota/auto_update_binary not_allowed",
      "/update/ota/channel type",
      "/update/ota/verify_signature must_be_true",
    ]);
    assert.deepEqual(await agent.read("/api/system"), before);
  });

  it("that breaks rules alone has the code of the first, and names them all", async () => {
    const ota = { verify_signature: false, check_interval: "1s", auto_update_binary: true };
    const { answer, told, detail } = await send("PUT", "/api/system", { update: { ota } });
    assert.deepEqual([answer, told.length], ["422 signature_verification_required", 3]);
    for (const name of Object.keys(ota)) assert.ok(detail.includes(name), detail);
  });

  it("for a new user hears of name and password at once", async () => {
    const short = "/password password_too_short";
    for (const [username, role, expected, ...faults] of [
      ["root-admin", "admin", "409 username_taken", short, "/username username_taken"],
      ["A", "boss", "400 validation_failed", short, "/role enum", "/username pattern"],
      ["anna", "readonly", "422 password_too_short"],
    ] as const) {
      const { answer, told } = await send("POST", "/api/users", { username, role, password: "short" });
      assert.equal(answer, expected);
      if (faults.length > 0) assert.deepEqual(told, faults);
    }
    assert.equal((await agent.read("/api/users")).total, 1);
  });
});
