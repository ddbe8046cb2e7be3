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

  const eventsOf = async (query: string): Promise<AuditEvent[]> =>
    (await agent.read(`/api/events?${query}`)).items;
  const newest = async () => (await eventsOf("limit=1"))[0] ?? assert.fail("there is none");

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
      const sent = { token: admin.token, ...(body && { body }) };
      const { json, headers } = await agent.call(method, path, sent);
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
    const firsts = (await eventsOf("type=sign_in.succeeded")).filter(({ details }) => details.is_new_address);
    const told = firsts.map(({ actor, details }) => `${actor.name} ${details.role}`);
    assert.deepEqual(told, ["olga operator", `${adminName} admin`]);
  });

  it("have nothing of what changes nothing", async () => {
    const { seq } = await newest();
    const { device } = await agent.read("/api/system");
    for (const [path, body] of [
      ["/api/system", { device: { name: device.name } }],
      [`/api/users/${admin.id}`, { role: "admin" }],
    ] as const)
      assert.equal((await agent.call("PUT", path, { token: admin.token, body })).status, 200);
    assert.equal((await newest()).seq, seq);
  });

  it("have a refusal once, with its code, and not each of its repetitions", async () => {
    const body = { username: adminName, password: "not the password at all" };
    for (let tries = 0; tries < 3; tries += 1) await agent.call("POST", "/api/auth/login", { body });
    const [refused, ...others] = await eventsOf("type=sign_in.refused");
    const { outcome, code, count, log, details } = refused ?? assert.fail("there is none");
    const written = [outcome, code, count, log, details.operation, others.length];
    assert.deepEqual(written, ["refused", "invalid_credentials", 1, "refusals", "login", 0]);
  });

  it("of an operator are operations, and security events of himself alone", async () => {
    const { json } = await agent.call("GET", "/api/events?after=0", { token: operator.token });
    const shown = json.items as AuditEvent[];
    assert.equal(json.total, shown.length);
    for (const type of ["settings.changed", "user.created"])
      assert.ok(new Set(shown.map((one) => one.type)).has(type), `${type} is hidden`);
    for (const { type, actor, subject } of shown) {
      const isOwn = actor.id === operator.id || subject?.id === operator.id;
      assert.ok(isOwn || type === "settings.changed", `${type} of ${actor.name} is shown`);
    }
  });
});
