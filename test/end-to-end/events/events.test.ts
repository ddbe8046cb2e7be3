import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { createVerification } from "../../../src/cli/events/event-verification.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";

describe("the events of an agent", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));

  const newest = async (): Promise<AuditEvent> =>
    (await agent.call("GET", "/api/events?limit=1", { local: true })).json.items[0];

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

  it("have a change of the own password", async () => {
    const body = { current_password: goodPassword, new_password: "seven quiet owls at dusk" };
    const { status, headers } = await agent.call("PUT", "/api/auth/password", {
      token: operator.token,
      body,
    });
    assert.equal(status, 204);
    const { type, actor, request_id, details } = await newest();
    assert.deepEqual([type, actor.name, request_id], ["password.changed", "olga", headers["x-request-id"]]);
    assert.deepEqual(details, { role: "operator" });
  });

  it("say of a sign-in that it is the first from an address, and whether it is an administrator's", async () => {
    const body = { username: adminName, password: adminPassword };
    const { json } = await agent.call("POST", "/api/auth/login", { body });
    assert.deepEqual((await newest()).details, { method: "password", session: json.session.id });
    const { json: list } = await agent.call("GET", "/api/events?type=sign_in.succeeded", { local: true });
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
    const { json } = await agent.call("GET", "/api/events?type=sign_in.refused", { local: true });
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
    const names = shown.map(({ type }) => type);
    assert.ok(names.includes("user.created") && names.includes("password.changed"), names.join());
  });

  it("come a page at a time, in their order, and verify", async () => {
    const verification = createVerification();
    const seqs: number[] = [];
    let path = "/api/events?after=0&limit=3";
    for (let pages = 0; pages < 50; pages += 1) {
      const { json } = await agent.call("GET", path, { token: admin.token });
      for (const event of json.items as AuditEvent[]) {
        verification.add(event);
        seqs.push(event.seq);
      }
      if (json.next_cursor === null) break;
      path = `/api/events?after=${json.next_cursor}&limit=3`;
    }
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
    assert.deepEqual(verification.findings(), []);
    const last = await agent.call("GET", "/api/events?limit=2", { token: admin.token });
    assert.deepEqual(
      (last.json.items as AuditEvent[]).map(({ seq }) => seq),
      seqs.slice(-2).reverse(),
    );
    assert.equal(last.json.total, seqs.length);
  });

  const wrong: [query: string, code: string][] = [
    ["after=-1", "validation_failed"],
    ["after=x", "validation_failed"],
    ["limit=0", "validation_failed"],
    ["limit=201", "validation_failed"],
    ["type=nothing.known", "validation_failed"],
    ["until=now", "validation_failed"],
    ["before=now", "unknown_field"],
  ];
  for (const [query, code] of wrong) {
    it(`refuse ?${query} with ${code}`, async () => {
      const { status, json } = await agent.call("GET", `/api/events?${query}`, { local: true });
      assert.deepEqual([status, json.code], [400, code]);
    });
  }

  it("are nothing for who only reads", async () => {
    const reader = await agent.signedIn("rita", "readonly");
    for (const path of ["/api/events", "/api/events/stream"]) {
      assert.equal((await agent.call("GET", path, { token: reader.token })).status, 403, path);
    }
  });

  it("are audit lines of the log too", async () => {
    const body = { username: adminName, password: adminPassword };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 200);
    const lines = agent
      .log()
      .split("\n")
      .filter((line) => line.includes('"message":"user.created"'));
    assert.ok(lines.length >= 4, `${lines.length} lines`);
    for (const line of lines) assert.equal(JSON.parse(line).audit, true);
  });
});
