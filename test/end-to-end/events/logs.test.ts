import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { startCheckedProcess } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { writeCommand } from "../../../lab/host/journal.ts";

interface Line {
  message: string;
  request?: { readonly status: number; readonly user: string | null };
  audit: boolean;
  priority: string;
  unit: string;
}

/** From a journal: test/journal/logs/logs.test.ts and test/console/log-facets.test.ts. */
describe("GET /api/logs without a journal", () => {
  /** Whatever this machine's own journal holds. */
  const command = writeCommand({ after }, "journalctl", "exit 1");
  const environment = { PATH: `${dirname(command)}:${process.env.PATH}` };

  const agent = ofSuite(() => startCheckedProcess({ environment }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const reader = ofSuite(() => agent.signedIn("log-reader", "readonly"));

  const read = async (token: string | undefined, query = ""): Promise<{ text: string; items: Line[] }> => {
    const { status, text, json } = await agent.call("GET", `/api/logs${query}`, { token });
    assert.equal(status, 200, text);
    return { text, items: json.items };
  };

  it("is never empty, and has the audit lines of events and requests for administrators alone", async () => {
    const canary = "canary sings in the deep mine";
    await agent.call("POST", "/api/auth/login", { body: { username: "root-admin", password: canary } });
    await agent.call("POST", "/api/users", {
      ...{ token: admin.token, body: { username: "canary-user", role: "readonly", password: canary } },
    });
    const all = await read(admin.token);
    const audits = all.items.filter(({ audit }) => audit).map(({ message }) => message);
    for (const expected of ["user.created", "sign_in.refused", "POST /api/users", "POST /api/auth/login"])
      assert.ok(audits.includes(expected), `${expected} is not among ${audits.join(", ")}`);
    for (const secret of [canary, admin.token])
      assert.ok(!all.text.includes(secret), "a secret is in the log");
    const { items } = await read(reader.token);
    const line = items.find(({ message }) => message === "listening");
    assert.deepEqual([line?.unit, line?.priority], ["steward.service", "notice"]);
    const filters = ["q=user.created", "q=POST", "priority=debug", "unit=steward.service", "status=failed"];
    for (const query of ["", ...filters.map((one) => `?${one}`)]) {
      const seen = await read(reader.token, query);
      assert.ok(!seen.items.some(({ audit }) => audit), query);
      assert.doesNotMatch(seen.text, /user\.created|sign_in|canary-user|POST/);
    }
  });

  it("leaves out what the caller's own session was given, where others are asked for, but nothing that was refused", async () => {
    const { id } = (await agent.call("GET", "/api/users", { token: admin.token })).json.items[0];
    const login = () => agent.login(adminName, adminPassword);
    const [page, other] = [await login(), await login()];
    await agent.call("POST", "/api/auth/refresh", { body: { refresh_token: page.refreshToken } });
    const stream = await followed(page.token, "?others_only=true");
    const begin = new Date().toISOString();
    for (const { token } of [page, other]) {
      await agent.call("PUT", "/api/system", { token, body: { shoe: 1 } });
      await agent.call("POST", `/api/users/${id}/unlock`, { token });
    }
    const requestsIn = ({ items }: { items: readonly Line[] }) =>
      items.flatMap(({ message, request }) =>
        request ? `${request.status} ${message.split("/").at(-1)}` : [],
      );
    const [ofAll, ofOthers] = [
      await read(page.token, `?since=${begin}`),
      await read(page.token, `?since=${begin}&others_only=true`),
    ];
    assert.deepEqual(requestsIn(ofAll), [...requestsIn(ofOthers).slice(0, 2), ...requestsIn(ofAll).slice(2)]);
    assert.equal(requestsIn(ofAll).length, 4);
    assert.deepEqual(requestsIn(ofOthers).slice(2), ["400 system"]);
    const whole = await read(page.token, "?q=auth/&limit=200");
    const foreign = await read(page.token, "?q=auth/&limit=200&others_only=true");
    // Its sign-in and its refresh.
    assert.equal(requestsIn(whole).length - requestsIn(foreign).length, 2);
    await until(
      "the stream has the last",
      () => stream.messages.filter(({ data }) => data.request).length >= 3,
    );
    const streamed = stream.messages.map(({ data }) => data as unknown as Line).reverse();
    assert.deepEqual(requestsIn({ items: streamed }), requestsIn(ofOthers));
    stream.close();
    const counts = async (query: string) => {
      const { json } = await agent.call("GET", `/api/logs/counts?q=auth/${query}`, { token: page.token });
      return json.units["steward.service"].info as number;
    };
    assert.equal((await counts("")) - (await counts("&others_only=true")), 2);
  });

  const followed = async (token: string, query = "") => {
    const stream = await openStream({ where: agent.port, token, path: `/api/logs/stream${query}` });
    return { ...stream, hears: (word: string) => stream.messages.some(({ data }) => data.message === word) };
  };

  it("is followed: an administrator gets each line as it is written, a reader no audit line, from `since` on", async () => {
    const { token, refreshToken } = await agent.login("log-reader", "quiet otters borrow umbrellas");
    const [all, own] = [await followed(admin.token), await followed(token, "?since=1h")];
    const body = { device: { name: "one" } };
    await agent.call("PUT", "/api/system", { token: admin.token, body });
    await until("both came", () => all.hears("settings.changed") && own.hears("listening"));
    for (const { id, event, data } of all.messages) assert.deepEqual([event, id], ["log", data.cursor]);
    all.close();
    // Whatever was sent comes before the end.
    await agent.call("POST", "/api/auth/logout", { body: { refresh_token: refreshToken } });
    await own.ended;
    assert.ok(!own.hears("settings.changed") && own.messages.every(({ data }) => data.audit !== true));
  });

  it("refuses what would reach journalctl as another word than is meant", async () => {
    const hostile: Record<string, string> = {
      validation_failed: `unit=--help unit=-u unit=a%20b unit=steward.service%0A unit=* unit=steward-*.service
        unit=sshd.service unit=steward.service&unit=sshd.service since=yesterday;%20rm since=yesterday
        since=--help since=2026-13-45T99:00:00Z since= until=@0 priority=0..7 priority=3 limit=201 limit=0
        limit=1e2 q= q=${"x".repeat(257)}`,
      invalid_cursor: "cursor=--help cursor=c3Q",
      unknown_field: "grep=x file=/etc/shadow",
    };
    for (const [code, queries] of Object.entries(hostile))
      for (const query of queries.split(/\s+/)) {
        const answer = agent.call("GET", `/api/logs?${query}`, { token: reader.token });
        assert.equal(await outcome(answer), `400 ${code}`, query.slice(0, 60));
      }
  });
});

describe("an agent whose standard error goes to the journal", () => {
  const stream = 'JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"';

  it("tells journald the severity of each line, and keeps no lines of its own on the disk", async (test) => {
    // The entries would go to the machine's own journal if it has one.
    const environment = { STEWARD_JOURNAL_SOCKET: "/nonexistent/socket" };
    const agent = await startCheckedProcess({ prefix: ["sh", "-c", stream, "sh"], environment });
    test.after(() => agent.dispose());
    await agent.stop();
    assert.match(agent.log(), /^<5>\{"time":"[^"]+","severity":"notice","message":"listening"/m);
    assert.equal(existsSync(join(agent.stateDirectory, "log.jsonl")), false);
  });
});
