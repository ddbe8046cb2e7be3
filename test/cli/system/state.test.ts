import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { notedCalls, runSteward, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { runAgainst } from "../../../lab/command-line/scripted-agent.ts";

const users = {
  name: "users",
  condition: "damaged",
  detail: "not JSON\u001b[2J",
  findings: [],
  format: null,
  versions: 0,
  size_bytes: 12,
  modified_at: "2026-01-02T03:04:05.000Z",
  good_copy_at: null,
  kept: ["users.json.damaged-1"],
};

function directoryWithDocuments(test: TestContext): string {
  const directory = temporaryDirectory(test);
  writeFileSync(join(directory, "documents.json"), JSON.stringify([users]));
  return directory;
}

describe("steward state", { concurrency: true }, () => {
  it("lists the documents, safe for the terminal", async (test) => {
    const { code, stdout } = await runSteward(["state", "list", "--state", directoryWithDocuments(test)]);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      "NAME   CONDITION  SIZE  CHANGED                   GOOD COPY  KEPT                  DETAIL\n" +
        "users  damaged    12 B  2026-01-02T03:04:05.000Z  -          users.json.damaged-1  not JSON\\x1b[2J\n",
    );
  });

  it("shows the document or file that was named", async (test) => {
    const directory = directoryWithDocuments(test);
    const { stdout } = await runSteward(`state show users --from good --state ${directory}`);
    assert.deepEqual(JSON.parse(stdout), { shown: "users" });
    assert.deepEqual(notedCalls(directory), [{ verb: "show", name: "users", from: "good" }]);
  });

  it("ends with 3 for a document that does not exist", async (test) => {
    const { code } = await runSteward(["state", "show", "cats", "--state", directoryWithDocuments(test)]);
    assert.equal(code, 3);
  });

  for (const verb of ["restore", "reset"]) {
    it(`refuses to ${verb} without a terminal and without --yes, and changes nothing`, async (test) => {
      const directory = directoryWithDocuments(test);
      const { code, stderr } = await runSteward(["state", verb, "users", "--state", directory], {
        stdin: "y\n",
      });
      assert.equal(code, 2);
      assert.match(stderr, /no terminal[\s\S]*--yes/);
      assert.deepEqual(notedCalls(directory), []);
    });

    it(`does ${verb} with --yes`, async (test) => {
      const directory = directoryWithDocuments(test);
      const { code } = await runSteward(["--yes", "state", verb, "users", "--state", directory]);
      assert.equal(code, 0);
      assert.deepEqual(notedCalls(directory), [{ verb, name: "users" }]);
    });
  }

  it("refuses a URL: the files are this machine's", async (test) => {
    const directory = directoryWithDocuments(test);
    const args = ["state", "reset", "users", "--yes", "--state", directory, "--url", "http://127.0.0.1:1"];
    const { code, stderr } = await runSteward(args);
    assert.equal(code, 2);
    assert.match(stderr, /run it on the device/);
    assert.deepEqual(notedCalls(directory), []);
  });

  it("comes back once an agent that was in rescue serves again", async (test) => {
    const health = ["rescue", "rescue", "ok"];
    const line = `state restore users --yes --state ${directoryWithDocuments(test)}`;
    const { code } = await runAgainst(test, line, {
      "GET /api/health": () => ({ body: { status: health.shift() } }),
    });
    assert.deepEqual([code, health], [0, []]);
  });
});
