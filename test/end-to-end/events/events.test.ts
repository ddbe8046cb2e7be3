import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";

describe("the events of an agent", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));

  const newest = async (): Promise<AuditEvent> => (await agent.read("/api/events?limit=1")).items[0];

  /** Each change of a user, with what it sends, and the event that it leaves with these details; the last is no user's. */
  const created = { role: "readonly", enabled: true, has_initial_password: true };
  const demoted = { role: "operator", role_before: "readonly", enabled: false, tokens: 0 };
  const changed = { changed: ["device.name", "device.location"] };
  const reset = { role: "operator", has_initial_password: true, tokens_ended: 0 };
  const changes: [request: string, body: object | undefined, type: string, details: object][] = [
    ["POST /api/users", { username: "someone", role: "readonly" }, "user.created", created],
    ["PUT /api/users/ID", { role: "operator", enabled: false }, "user.changed", demoted],
    ["PUT /api/users/ID", { display_name: "Somebody" }, "user.changed", { display_name_changed: true }],
    ["POST /api/users/ID/password-reset", {}, "user.password_reset", reset],
    ["DELETE /api/users/ID/sessions", undefined, "user.sessions_ended", { sessions: 0, tokens_left: 0 }],
    ["DELETE /api/users/ID", undefined, "user.deleted", { role: "operator" }],
    ["PUT /api/system", { device: { name: "7", location: "roof" } }, "settings.changed", changed],
  ];

  it("name the caller, the action, the user concerned, the address and the request's id", async () => {
    let id = "";
    for (const [request, body, type, details] of changes) {
      const [method = "", path = ""] = request.replace("ID", id).split(" ");
      const { status, json, text, headers } = await agent.call(method, path, {
        ...{ token: admin.token, ...(body && { body }) },
      });
      assert.ok(status < 300, text);
      if (id === "") id = json.id;
      const { actor, subject, from, request_id, outcome, ...written } = await newest();
      assert.deepEqual([written.type, written.details, outcome], [type, details, "success"]);
      assert.deepEqual(actor, { kind: "user", id: admin.id, name: adminName });
      assert.deepEqual(subject, type === "settings.changed" ? null : { id, name: "someone" });
      assert.deepEqual([from, request_id], ["127.0.0.1", headers["x-request-id"]]);
    }
  });

  it("say of a sign-in that it is the first from an address, and whether it is an administrator's", async () => {
    const body = { username: adminName, password: adminPassword };
    const { json } = await agent.call("POST", "/api/auth/login", { body });
    assert.deepEqual((await newest()).details, { method: "password", session: json.session.id });
    const list = await agent.read("/api/events?type=sign_in.succeeded");
    const firsts = (list.items as AuditEvent[]).filter(({ details }) => details.is_new_address === true);
    assert.deepEqual(
      firsts.map(({ actor, details }) => [actor.name, details.role]),
      [
        ["olga", "operator"],
        [adminName, "admin"],
      ],
    );
  });

  it("have nothing of what changes nothing", async () => {
    const { seq } = await newest();
    const { token, id } = admin;
    const { json } = await agent.call("GET", "/api/system", { token });
    const settings = { device: { name: json.device.name } };
    assert.equal((await agent.call("PUT", "/api/system", { token, body: settings })).status, 200);
    const same = { role: "admin" };
    assert.equal((await agent.call("PUT", `/api/users/${id}`, { token, body: same })).status, 200);
    assert.equal((await newest()).seq, seq);
  });

  it("have a refusal once, with its code, and not each of its repetitions", async () => {
    const body = { username: adminName, password: "not the password at all" };
    for (let tries = 0; tries < 3; tries += 1) await agent.call("POST", "/api/auth/login", { body });
    const json = await agent.read("/api/events?type=sign_in.refused");
    const [refused] = json.items as AuditEvent[];
    assert.equal(json.total, 1);
    assert.deepEqual(
      [refused?.outcome, refused?.code, refused?.count, refused?.log, refused?.details.operation],
      ["refused", "invalid_credentials", 1, "refusals", "login"],
    );
  });

  it("of an operator are operations, and security events of himself alone", async () => {
    const { json } = await agent.call("GET", "/api/events?after=0", { token: operator.token });
    const shown = json.items as AuditEvent[];
    assert.equal(json.total, shown.length);
    assert.ok(
      shown.some(({ type }) => type === "settings.changed"),
      "operations are hidden",
    );
    for (const { type, actor, subject } of shown) {
      const isOwn = actor.id === operator.id || subject?.id === operator.id;
      assert.ok(isOwn || type === "settings.changed", `${type} of ${actor.name} is shown`);
    }
    assert.ok(
      shown.some(({ type }) => type === "user.created"),
      "one's own are hidden",
    );
  });
});
