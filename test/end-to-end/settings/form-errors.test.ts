import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
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

  it("of more mistakes than are told is judged no further, whatever is left of it", async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, 1]));
    const body = { ...many, security: { session_idle: 7, session_absolute: [] }, time: { servers: {} } };
    const { status, told } = await send("PUT", "/api/system", JSON.stringify(body));
    assert.equal(status, 400);
    assert.ok(told.length >= 1 && told.length <= 32, `${told.length} are told`);
  });

  it("that is nested deeper than any form is not judged, and names the place by no more than a name's beginning", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    for (const body of [
      `{"${"n".repeat(200)}": ${deep}, "security": {"session_idle": "1m"}}`,
      `{"a/b": ${deep}, "security": {"session_idle": 7}}`,
    ]) {
      const { json } = await send("PUT", "/api/system", body);
      assert.equal(json.code, "malformed_json");
      assert.match(
        json.detail,
        /^The body is not JSON at line 1, column \d+ \(\/(n{128}|a~1b)(\/0)+\): it is nested deeper/,
      );
    }
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
    const weak = await send("POST", "/api/users", { username: "anna", role: "readonly", password: "short" });
    assert.deepEqual([weak.status, weak.json.code], [422, "password_too_short"]);
    const { json } = await agent.call("GET", "/api/users", { token: admin.token });
    assert.equal(json.total, 1);
  });

  it("is told whole on the command line", async () => {
    const words = [
      "system",
      "set",
      "security.session_idle=soon",
      "update.ota.check_interval=1s",
      "time.servers=a b",
    ];
    const { code, stderr } = await runSteward([...words, "--socket", agent.socket]);
    assert.equal(code, 6);
    assert.match(stderr, /^ {2}security\.session_idle: must be a duration such as 30m, 6h or 7d$/m);
    assert.match(
      stderr,
      /^ {2}time\.servers\.0: must be a time server: host, host:port or \[v6\]:port, or \{"host": …, "nts": true\}$/m,
    );
    assert.match(stderr, /^ {2}update\.ota\.check_interval: must be 5m to 30d$/m);
  });

  it("tells nothing of the rules to those who may not write", async () => {
    const { token } = await agent.signedIn("rita", "readonly");
    const body = { update: { ota: { verify_signature: false, channel: 7 } } };
    const { status, json } = await agent.call("PUT", "/api/system", { token, body });
    assert.deepEqual([status, json.code, json.errors], [403, "forbidden", undefined]);
  });
});
