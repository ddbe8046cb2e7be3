import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { writeCommand } from "../../lab/host/journal.ts";
import { type OperationId, operationIds, operationOf } from "../../src/contract/operations.ts";
import { emptyJournal, type JournalEntry, releaseJournalText } from "../../src/releases/release-journal.ts";

const nameOf = ({ cursor, id, seq, sequence }: Record<string, unknown>): string =>
  String(cursor ?? id ?? seq ?? sequence);

describe("each list of the API", () => {
  const releases = scratchDirectory();
  const agent = ofSuite(() => {
    // Whatever this machine's own journal holds.
    const commands = dirname(writeCommand({ after }, "journalctl", "exit 1"));
    return startCheckedAgent({
      arguments: ["--releases", releases, "--trust", join(releases, "trust")],
      environment: { PATH: `${commands}:${process.env.PATH}` },
    });
  });
  let token: string;
  before(async () => {
    const entry: Omit<JournalEntry, "sequence"> = {
      ...{ at: "2026-11-20T12:00:00.000Z", kind: "rules", release_id: "1".repeat(32), name: "base" },
      ...{ version: "1.0.0", from_version: null, restored_healthy: null, seconds: 2, log: [] },
      ...{ outcome: "refused", detail: "It is withdrawn." },
    };
    const history = [1, 2, 3].map((sequence) => ({ ...entry, sequence }));
    const journal = releaseJournalText({ ...emptyJournal, sequence: 3, history });
    writeFileSync(join(releases, "journal.json"), journal);
    ({ token } = await agent.signedInAdmin());
    for (const username of ["bea", "cid"])
      await agent.call("POST", "/api/users", { token, body: { username, role: "readonly" } });
    for (const name of ["one", "two", "three"])
      await agent.call("POST", "/api/tokens", { token, body: { name, scopes: ["system:read"] } });
    for (let more = 0; more < 2; more += 1) await agent.login(adminName, adminPassword);
  });

  const ask = (id: OperationId, query: string) =>
    agent.call("GET", `${operationOf(id).path}?${query}`, { token });
  const page = async (id: OperationId, query: string) => {
    const { items, total, next_cursor } = (await ask(id, query)).json;
    return { names: (items as Record<string, unknown>[]).map(nameOf), total, next: next_cursor };
  };

  for (const id of operationIds.filter((one) => one.startsWith("list"))) {
    it(`${id}, walked by its cursors, has every item once, as many as its total says`, async () => {
      const whole = await page(id, "limit=200");
      assert.ok(whole.names.length >= 3, `${whole.names.length} are too few to walk`);
      const walked: string[] = [];
      for (let pages = 0, query = "limit=2"; pages < 200; pages += 1) {
        const { names, total, next } = await page(id, query);
        assert.equal(total, whole.total);
        walked.push(...names);
        if (next === null) break;
        query = `limit=2&cursor=${encodeURIComponent(next)}`;
      }
      assert.deepEqual([walked, walked.length, null], [whole.names, whole.total, whole.next]);
    });

    it(`${id} refuses what is no cursor of it, and says what to do`, async () => {
      const { next } = await page(id === "listTokens" ? "listUsers" : "listTokens", "limit=1");
      for (const cursor of ["x", "%00", "--help", "bnVsbA", "W10", "WyJ1c2VycyIsMV0", "before-x", next]) {
        const { status, json } = await ask(id, `cursor=${cursor}`);
        assert.deepEqual([status, json.code], [400, "invalid_cursor"], cursor);
        assert.match(json.detail, /begin again without a cursor/);
      }
      assert.equal((await ask(id, `cursor=${"x".repeat(513)}`)).json.code, "validation_failed");
    });
  }
});
