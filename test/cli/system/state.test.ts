import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ends, endsAlone, notedCalls, temporaryDirectory } from "../fixture.ts";

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

function withDocuments(test: TestContext): string {
  const directory = temporaryDirectory(test);
  writeFileSync(join(directory, "documents.json"), JSON.stringify([users]));
  return directory;
}

const table =
  "NAME   CONDITION  SIZE  CHANGED                   GOOD COPY  KEPT                  DETAIL\n" +
  "users  damaged    12 B  2026-01-02T03:04:05.000Z  -          users.json.damaged-1  not JSON\\x1b[2J\n";
const here = { code: 2, stderr: /run it on the device/ };
const unasked = { stdin: "y\n", code: 2, stderr: /no terminal[\s\S]*--yes/ };

/** The end of a command, and its effects on the documents. */
const rows: readonly (readonly [
  line: string,
  end: Parameters<typeof endsAlone>[1],
  calls: readonly object[],
])[] = [
  ["state list", { stdout: table }, []],
  [
    "state show users --from good",
    { stdout: /^{\s*"shown": "users"\s*}\n$/ },
    [{ verb: "show", name: "users", from: "good" }],
  ],
  ["state show cats", { code: 3 }, [{ verb: "show", name: "cats" }]],
  ["state restore users", unasked, []],
  ["state reset users", unasked, []],
  ["--yes state restore users", {}, [{ verb: "restore", name: "users" }]],
  ["--yes state reset users", {}, [{ verb: "reset", name: "users" }]],
  ["state reset users --yes --url http://127.0.0.1:1", here, []],
];

describe("steward state", { concurrency: true }, () => {
  for (const [line, end, calls] of rows)
    it(`${line}: ends with ${end?.code ?? 0}`, async (test) => {
      const directory = withDocuments(test);
      await endsAlone([...line.split(" "), "--state", directory], end);
      assert.deepEqual(notedCalls(directory), calls);
    });

  it("comes back once an agent that was in rescue serves again", async (test) => {
    const health = ["rescue", "rescue", "ok"];
    await ends(test, `state restore users --yes --state ${withDocuments(test)}`, {
      "GET /api/health": () => ({ body: { status: health.shift() } }),
    });
    assert.deepEqual(health, []);
  });
});
