import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedProcess } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { type Fields, makeJournal, type Owner, ownFields, writeCommand } from "../../../lab/host/journal.ts";

/** An environment in which journalctl is this script. */
function environmentWith(test: Owner, script: string): Record<string, string> {
  return { PATH: `${dirname(writeCommand(test, "journalctl", script))}:${process.env.PATH}` };
}

interface Line {
  message: string;
  audit: boolean;
  priority: string;
  unit: string;
}

describe("GET /api/logs without a journal", () => {
  /** Whatever this machine's own journal holds. */
  const environment = environmentWith({ after }, "exit 1");

  const agent = ofSuite(() => startCheckedProcess({ environment }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const reader = ofSuite(() => agent.signedIn("log-reader", "readonly"));

  const read = async (token: string | undefined, query = ""): Promise<{ text: string; items: Line[] }> => {
    const { status, text, json } = await agent.call("GET", `/api/logs${query}`, { token });
    assert.equal(status, 200, text);
    return { text, items: json.items };
  };

  it("is never empty: a reader finds that the agent listens", async () => {
    const { items } = await read(reader.token);
    const line = items.find(({ message }) => message === "listening");
    assert.deepEqual([line?.unit, line?.priority], ["steward.service", "notice"]);
  });

  it("has the audit lines of events and requests for administrators alone", async () => {
    const canary = "canary sings in the deep mine";
    await agent.call("POST", "/api/auth/login", { body: { username: "root-admin", password: canary } });
    await agent.call("POST", "/api/users", {
      token: admin.token,
      body: { username: "canary-user", role: "readonly", password: canary },
    });
    const all = await read(admin.token);
    const audits = all.items.filter(({ audit }) => audit).map(({ message }) => message);
    for (const expected of ["user.created", "sign_in.refused", "POST /api/users", "POST /api/auth/login"]) {
      assert.ok(audits.includes(expected), `${expected} is not among ${audits.join(", ")}`);
    }
    for (const query of [
      "",
      "?q=user.created",
      "?q=POST",
      "?priority=debug",
      "?unit=steward.service",
      "?status=failed",
    ]) {
      const { items, text } = await read(reader.token, query);
      assert.deepEqual(
        items.filter(({ audit }) => audit),
        [],
      );
      assert.doesNotMatch(text, /user\.created|sign_in|canary-user|POST/);
    }
    assert.ok(!all.text.includes(canary), "a password is in the log");
    assert.ok(!all.text.includes(admin.token), "a token is in the log");
    assert.equal((await agent.read("/api/logs")).items.length > 0, true);
  });

  const hostile: [string, string][] = [
    ["unit=--help", "validation_failed"],
    ["unit=-u", "validation_failed"],
    ["unit=a%20b", "validation_failed"],
    ["unit=steward.service%0A", "validation_failed"],
    ["unit=*", "validation_failed"],
    ["unit=steward-*.service", "validation_failed"],
    ["unit=sshd.service", "validation_failed"],
    ["unit=steward.service&unit=sshd.service", "validation_failed"],
    ["since=yesterday;%20rm", "validation_failed"],
    ["since=yesterday", "validation_failed"],
    ["since=--help", "validation_failed"],
    ["since=2026-13-45T99:00:00Z", "validation_failed"],
    ["since=", "validation_failed"],
    ["until=@0", "validation_failed"],
    ["priority=0..7", "validation_failed"],
    ["priority=3", "validation_failed"],
    ["limit=201", "validation_failed"],
    ["limit=0", "validation_failed"],
    ["limit=1e2", "validation_failed"],
    [`q=${"x".repeat(257)}`, "validation_failed"],
    ["q=", "validation_failed"],
    ["cursor=--help", "invalid_cursor"],
    ["cursor=c3Q", "invalid_cursor"],
    ["grep=x", "unknown_field"],
    ["file=/etc/shadow", "unknown_field"],
  ];
  for (const [query, code] of hostile) {
    it(`refuses ${query.slice(0, 60)}`, async () => {
      assert.equal(
        await outcome(agent.call("GET", `/api/logs?${query}`, { token: reader.token })),
        `400 ${code}`,
      );
    });
  }

  it("is on the command line, the oldest line first, with the agent and without it", async () => {
    const places = ["--state", agent.stateDirectory, "--socket", agent.socket];
    const online = await runSteward(["logs", ...places]);
    assert.equal(online.code, 0, online.stderr);
    const first = online.stdout.indexOf("setup is required");
    assert.ok(first >= 0 && first < online.stdout.indexOf("listening"), online.stdout);
    await agent.stop();
    const kept = readFileSync(join(agent.stateDirectory, "log.jsonl"), "utf8");
    assert.match(kept, /"message":"listening"/);
    assert.doesNotMatch(kept, /"severity":"info"/);
    const offline = await runSteward(["-o", "json", "logs", "--search", "LISTENING", ...places], {
      environment,
    });
    const { items, source } = JSON.parse(offline.stdout);
    assert.deepEqual([items.length, items[0].message, source], [1, "listening", "agent"]);
  });
});

describe("GET /api/logs from a journal", () => {
  const notice = (message: string, members: object = {}) =>
    ownFields({ severity: "notice", message, ...members });
  const entries: Fields[] = [
    notice("from the journal"),
    notice("user.created", { audit: true }),
    { _SYSTEMD_UNIT: "nginx.service", MESSAGE: "not named in the host file" },
  ];

  it("has the journal's lines, and keeps to rights and units there too", async (test) => {
    const journal = makeJournal(test, entries);
    const agent = await startCheckedProcess({
      environment: environmentWith(test, `exec /usr/bin/journalctl '${journal}' "$@"`),
    });
    test.after(() => agent.dispose());
    await agent.signedInAdmin();
    const { token } = await agent.signedIn("log-reader", "readonly");
    const mine = (await agent.call("GET", "/api/logs", { token })).json;
    assert.deepEqual(
      [mine.source, mine.items.map(({ message }: Line) => message)],
      ["journal", ["from the journal"]],
    );
    const all = await agent.read("/api/logs");
    assert.deepEqual(
      all.items.map(({ message }: Line) => message),
      ["user.created", "from the journal"],
    );
    const behind = (await agent.read("/api/logs?limit=1")).next_cursor;
    const page = await agent.read(`/api/logs?limit=1&cursor=${behind}`);
    assert.deepEqual([page.items[0].message, page.next_cursor], ["from the journal", null]);
  });
});

describe("an agent whose standard error goes to the journal", () => {
  const withJournalStream = [
    "sh",
    "-c",
    'JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"',
    "sh",
  ];

  it("tells journald the severity of each line, and keeps no lines of its own on the disk", async (test) => {
    // The entries would go to the machine's own journal if it has one.
    const environment = { STEWARD_JOURNAL_SOCKET: "/nonexistent/socket" };
    const agent = await startCheckedProcess({ prefix: withJournalStream, environment });
    test.after(() => agent.dispose());
    await agent.stop();
    assert.match(agent.log(), /^<5>\{"time":"[^"]+","severity":"notice","message":"listening"/m);
    assert.equal(existsSync(join(agent.stateDirectory, "log.jsonl")), false);
  });
});
