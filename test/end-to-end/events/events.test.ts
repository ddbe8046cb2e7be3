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

  interface Change {
    method: string;
    path: (id: string) => string;
    body?: object;
    type: string;
    details: object;
    subject?: false;
  }
  const changes: Change[] = [
    {
      method: "PUT",
      path: (id) => `/api/users/${id}`,
      body: { role: "operator", enabled: false },
      type: "user.changed",
      details: { role: "operator", role_before: "readonly", enabled: false, tokens: 0 },
    },
    {
      method: "PUT",
      path: (id) => `/api/users/${id}`,
      body: { display_name: "Somebody" },
      type: "user.changed",
      details: { display_name_changed: true },
    },
    {
      method: "POST",
      path: (id) => `/api/users/${id}/password-reset`,
      body: {},
      type: "user.password_reset",
      details: { role: "operator", has_initial_password: true, tokens_ended: 0 },
    },
    {
      method: "DELETE",
      path: (id) => `/api/users/${id}/sessions`,
      type: "user.sessions_ended",
      details: { sessions: 0, tokens_left: 0 },
    },
    {
      method: "DELETE",
      path: (id) => `/api/users/${id}`,
      type: "user.deleted",
      details: { role: "operator" },
    },
    {
      method: "PUT",
      path: () => "/api/system",
      body: { device: { name: "pump 7", location: "roof" } },
      type: "settings.changed",
      details: { changed: ["device.name", "device.location"] },
      subject: false,
    },
  ];

  it("name the caller, the action, the user concerned, the address and the request's id", async () => {
    const created = await agent.call("POST", "/api/users", {
      token: admin.token,
      body: { username: "someone", role: "readonly" },
    });
    const { id } = created.json;
    const subject = { id, name: "someone" };
    const actor = { kind: "user", id: admin.id, name: adminName };
    const event = await newest();
    assert.deepEqual(
      [event.type, event.actor, event.subject, event.from, event.request_id, event.details],
      [
        "user.created",
        actor,
        subject,
        "127.0.0.1",
        created.headers["x-request-id"],
        { role: "readonly", enabled: true, has_initial_password: true },
      ],
    );
    for (const change of changes) {
      const { method, path, body, type, details } = change;
      const answer = await agent.call(method, path(id), { token: admin.token, ...(body && { body }) });
      assert.ok(answer.status < 300, answer.text);
      const written = await newest();
      assert.deepEqual(
        [written.type, written.actor, written.subject, written.from, written.request_id, written.outcome],
        [
          type,
          actor,
          change.subject === false ? null : subject,
          "127.0.0.1",
          answer.headers["x-request-id"],
          "success",
        ],
      );
      assert.deepEqual(written.details, details);
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
