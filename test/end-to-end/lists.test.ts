import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CheckedAgent, type SignedIn, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { writeCommand } from "../../lab/host/journal.ts";
import { type OperationId, operationIds, operationOf } from "../../src/contract/operations.ts";
import { emptyJournal, type JournalEntry, releaseJournalText } from "../../src/releases/release-journal.ts";

const lists = operationIds.filter((id) => id.startsWith("list"));

/** Names an item, whichever list it is of. */
function nameOf(item: Record<string, unknown>): string {
  return String(item.cursor ?? item.id ?? item.seq ?? item.sequence);
}

describe("each list of the API", () => {
  const releases = scratchDirectory();
  let agent: CheckedAgent;
  let admin: SignedIn;

  before(async () => {
    const entry: Omit<JournalEntry, "sequence"> = {
      ...{ at: "2026-11-20T12:00:00.000Z", kind: "rules", release_id: "1".repeat(32), name: "base" },
      ...{ version: "1.0.0", from_version: null, restored_healthy: null, seconds: 2, log: [] },
      ...{ outcome: "refused", detail: "It is withdrawn." },
    };
    const history = [1, 2, 3].map((sequence) => ({ ...entry, sequence }));
    writeFileSync(
      join(releases, "journal.json"),
      releaseJournalText({ ...emptyJournal, sequence: 3, history }),
    );
    // Whatever this machine's own journal holds.
    const commands = dirname(writeCommand({ after }, "journalctl", "exit 1"));
    agent = await startCheckedAgent({
      arguments: ["--releases", releases, "--trust", join(releases, "trust")],
      environment: { PATH: `${commands}:${process.env.PATH}` },
    });
    admin = await agent.signedInAdmin();
    const { token } = admin;
    for (const name of ["bea", "cid"]) {
      await agent.call("POST", "/api/users", { token, body: { username: name, role: "readonly" } });
    }
    for (const name of ["one", "two", "three"]) {
      await agent.call("POST", "/api/tokens", { token, body: { name, scopes: ["system:read"] } });
    }
    for (let more = 0; more < 2; more += 1) {
      await agent.login(adminName, adminPassword);
    }
  });
  after(() => agent.dispose());

  const page = async (id: OperationId, query: string) => {
    const { status, json, text } = await agent.call("GET", `${operationOf(id).path}?${query}`, {
      token: admin.token,
    });
    assert.equal(status, 200, text);
    return json as { items: Record<string, unknown>[]; total: number | null; next_cursor: string | null };
  };

  for (const id of lists) {
    it(`${id}, walked by its cursors, has every item once, as many as its total says`, async () => {
      const whole = await page(id, "limit=200");
      assert.ok(whole.items.length >= 3, `${whole.items.length} are too few to walk`);
      const walked: string[] = [];
      let query = "limit=2";
      for (let pages = 0; pages < 200; pages += 1) {
        const { items, total, next_cursor } = await page(id, query);
        assert.equal(total, whole.total);
        walked.push(...items.map(nameOf));
        if (next_cursor === null) break;
        query = `limit=2&cursor=${encodeURIComponent(next_cursor)}`;
      }
      assert.deepEqual(walked, whole.items.map(nameOf));
      assert.deepEqual([whole.total, whole.next_cursor], [walked.length, null]);
    });

    for (const cursor of ["x", "%00", "--help", "bnVsbA", "W10", "WyJ1c2VycyIsMV0", "before-x"]) {
      it(`${id} refuses the cursor ${cursor}, and says what to do`, async () => {
        const { status, json } = await agent.call("GET", `${operationOf(id).path}?cursor=${cursor}`, {
          token: admin.token,
        });
        assert.deepEqual([status, json.code], [400, "invalid_cursor"]);
        assert.match(json.detail, /begin again without a cursor/);
      });
    }

    it(`${id} refuses a cursor of more than 512 characters`, async () => {
      assert.equal(
        await outcome(
          agent.call("GET", `${operationOf(id).path}?cursor=${"x".repeat(513)}`, { token: admin.token }),
        ),
        "400 validation_failed",
      );
    });
  }

  it("of events says that there are older ones, newest first, and goes on by `after` as by `cursor`", async () => {
    const newest = await page("listEvents", "limit=2");
    const [first, second] = newest.items.map(({ seq }) => Number(seq));
    assert.equal(second, Number(first) - 1);
    assert.notEqual(newest.next_cursor, null);
    const begin = await page("listEvents", "after=0&limit=2");
    assert.deepEqual(
      begin.items.map(({ seq }) => seq),
      [1, 2],
    );
    const byAfter = await page("listEvents", `after=${begin.next_cursor}&limit=2`);
    const byCursor = await page("listEvents", `after=0&cursor=${begin.next_cursor}&limit=2`);
    assert.deepEqual(byAfter, byCursor);
    assert.deepEqual(
      byAfter.items.map(({ seq }) => seq),
      [3, 4],
    );
  });

  it("refuses a cursor of another list", async () => {
    const { next_cursor } = await page("listTokens", "limit=1");
    assert.equal(
      await outcome(agent.call("GET", `/api/users?cursor=${next_cursor}`, { token: admin.token })),
      "400 invalid_cursor",
    );
  });
});
