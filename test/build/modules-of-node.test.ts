import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { it, type TestContext } from "node:test";
import { type AgentProcess, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
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
  for (const name of [
    "tls",
    "https",
    "worker_threads",
    "zlib",
    "internal/dns/promises",
    "perf_hooks",
    "internal/blocklist",
  ])
    assert.equal(loaded.includes(`NativeModule ${name}`), false, name);
});

it("an agent runs a package when it first uses it, though the sources import it as any other", async (test) => {
  const beforeTokens = await runsOf(test, "jsonwebtoken", async () => undefined);
  const withToken = await runsOf(test, "jsonwebtoken", (agent) => agent.signedInAdmin());
  assert.deepEqual([beforeTokens, withToken], [0, 1]);
});

it("an agent runs what koa asks about few requests when there is one", async (test) => {
  const before = await runsOf(test, "mime-types", async () => undefined);
  const unusual = await runsOf(test, "mime-types", (agent) =>
    agent.call("GET", "/api/version", { headers: { accept: "text/html, application/*" } }),
  );
  assert.deepEqual([before, unusual], [0, 1]);
});

it("an agent loads the parts of NTS where a time server asks for it, and not where all are plain", async (test) => {
  const closed = "127.0.0.1:1";
  assert.deepEqual(await ntsPartsWith(test, closed), []);
  assert.deepEqual(await ntsPartsWith(test, { host: closed, nts: true }), ["association", "key-exchange"]);
});

/** The parts of NTS that an agent with this time server has loaded when it knows that nothing answers there. */
async function ntsPartsWith(test: TestContext, server: unknown): Promise<string[]> {
  const [directory, coverage] = [temporaryDirectory(test), temporaryDirectory(test)];
  const settings = join(directory, "settings.json");
  writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers: [server] } }));
  const agent = await startAgentProcess({
    environment: { NODE_V8_COVERAGE: coverage, STEWARD_INITIAL_SETTINGS: settings },
  });
  test.after(() => agent.dispose());
  await until("the server was asked", async () => {
    const { json } = await agent.call("GET", "/api/system/time-sync", { local: true });
    return json.sources[0]?.state === "unreachable";
  });
  await agent.stop();
  const parts = coveredBy(coverage).flatMap(({ url }) => /\/parts\/([a-z-]+)-\w+\.js$/.exec(url)?.[1] ?? []);
  assert.ok(parts.includes("agent"), "the agent is covered");
  return parts.filter((name) => ["association", "key-exchange"].includes(name)).sort();
}

/** A text in the outermost function of a package, by which V8's coverage of the agent finds that function. */
const packages = {
  jsonwebtoken: '"expiresIn" should be a number of seconds',
  "mime-types": "/^\\s*([^;\\s]*)(?:;|\\s|$)/",
};

/** Runs of a package in an agent that is asked for its version, and does `work`. */
async function runsOf(
  test: TestContext,
  name: keyof typeof packages,
  work: (agent: AgentProcess) => Promise<unknown>,
): Promise<number | undefined> {
  const directory = temporaryDirectory(test);
  const agent = await startAgentProcess({ environment: { NODE_V8_COVERAGE: directory } });
  test.after(() => agent.dispose());
  await agent.call("GET", "/api/version");
  await work(agent);
  await agent.stop();
  const [part] = coveredBy(directory).filter(({ url }) => /\/parts\/agent-\w+\.js$/.test(url));
  assert.ok(part, "the agent is covered");
  // The path is that of the build, which the code cache has.
  const at = readFileSync(join(program, "../parts", basename(part.url)), "utf8").indexOf(packages[name]);
  assert.ok(at > 0, "the agent has the package");
  const ranges = part.functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
  return ranges.toSorted((a, b) => b.startOffset - a.startOffset)[0]?.count;
}

function coveredBy(directory: string): readonly CoveredScript[] {
  const [file = ""] = readdirSync(directory);
  return (JSON.parse(readFileSync(join(directory, file), "utf8")) as { result: CoveredScript[] }).result;
}

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }[];
  }[];
}
