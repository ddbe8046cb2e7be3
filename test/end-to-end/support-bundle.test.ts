import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import type { Ending } from "../../lab/basics/ending.ts";
import { ofSuite, temporaryDirectory } from "../../lab/basics/ending.ts";

/** Unpacks the archive with tar(1). */
async function unpacked(test: Ending, archive: Buffer): Promise<Record<string, string>> {
  const directory = await temporaryDirectory(test);
  writeFileSync(join(directory, "bundle.tar.gz"), archive);
  execFileSync("tar", ["-xzf", "bundle.tar.gz"], { cwd: directory });
  const inside = join(directory, "steward-doctor");
  return Object.fromEntries(
    readdirSync(inside).map((name) => [name, readFileSync(join(inside, name), "utf8")]),
  );
}

describe("the support bundle of the API", () => {
  const agent = ofSuite(() => startAgentInProcess());
  let token: string;
  before(async () => {
    ({ token } = await agent.signedInAdmin());
    const device = { name: "pump 7", contact: "fred@example.net" };
    assert.equal((await agent.call("PUT", "/api/system", { body: { device }, local: true })).status, 200);
    const body = { username: "mallory", role: "readonly" };
    assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201);
  });

  const asked = (running: Pick<RunningAgent, "url">) =>
    fetch(`${running.url}/api/system/support-bundle`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });

  it("is the archive of doctor: findings, settings and this agent's own log, without the names of people", async (test) => {
    const response = await asked(agent);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/gzip");
    const files = await unpacked(test, Buffer.from(await response.arrayBuffer()));
    const named = [...(files.README ?? "").matchAll(/\b[a-z]+\.(?:txt|json)\b/g)].map(([name]) => name);
    assert.deepEqual(Object.keys(files).sort(), [...new Set(["README", ...named])].sort());
    assert.match(files["report.txt"] ?? "", /^steward doctor, version /);
    const settings = JSON.parse(files["settings.json"] ?? "");
    assert.deepEqual([settings.device.name, settings.device.contact], ["pump 7", "(left out)"]);
    assert.match(files["journal.txt"] ?? "", /listening/);
    const report = JSON.parse(files["report.json"] ?? "");
    const answers = report.findings.filter(({ code }: { code: string }) => code === "answers");
    assert.equal(answers.length, 1, "doctor has asked another agent, or none");
    for (const [name, text] of Object.entries(files)) assert.doesNotMatch(text, /mallory|fred@example/, name);
  });
});
