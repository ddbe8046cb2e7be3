import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { startAgentProcess } from "../../lab/agents/running-agent.ts";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";

const program = join(import.meta.dirname, "../../dist/main.js");

it("an agent loads a module of Node's when it first uses it, though the sources import it as any other", async (test) => {
  const directory = temporaryDirectory(test);
  const [hook, list] = [join(directory, "hook.cjs"), join(directory, "list")];
  writeFileSync(
    hook,
    `process.on("exit",()=>require("fs").writeFileSync(${JSON.stringify(list)},process.moduleLoadList.join("\\n")))`,
  );
  const agent = await startAgentProcess({ program: ["--require", hook, program] });
  test.after(() => agent.dispose());
  await agent.call("GET", "/api/version");
  await agent.stop();
  const loaded = readFileSync(list, "utf8").split("\n");
  assert.ok(loaded.includes("NativeModule http"), "the list is of this agent");
  for (const name of ["tls", "https", "worker_threads", "zlib", "internal/dns/promises", "perf_hooks"])
    assert.equal(loaded.includes(`NativeModule ${name}`), false, name);
});
