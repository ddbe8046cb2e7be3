import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { it, type TestContext } from "node:test";
import { type AgentProcess, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";

const program = join(import.meta.dirname, "../../dist/main.js");

it("an agent loads a module of Node's when it first uses it, though the sources import it as any other", async (test) => {
  const { listing, modules } = listedModules(test);
  const agent = await startAgentProcess({ program: listing });
  test.after(() => agent.dispose());
  await agent.call("GET", "/api/version");
  await agent.stop();
  const internal = ["dns/promises", "async_local_storage", "async_context_frame", "blocklist"];
  const costly = ["tls", "https", "worker_threads", "zlib", "perf_hooks"].concat(
    internal.map((name) => `internal/${name}`),
  );
  const loaded = modules();
  assert.deepEqual(
    costly.filter((name) => loaded.includes(name)),
    [],
  );
});

/** The words that start an agent which lists Node's modules that it has loaded when it ends, and that list. */
function listedModules(test: TestContext) {
  const directory = temporaryDirectory(test);
  const [hook, list] = [join(directory, "hook.cjs"), join(directory, "list")];
  writeFileSync(
    hook,
    `process.on("exit",()=>require("fs").writeFileSync(${JSON.stringify(list)},process.moduleLoadList.join("\\n")))`,
  );
  const modules = (): readonly string[] => {
    const loaded = readFileSync(list, "utf8").replaceAll("NativeModule ", "").split("\n");
    assert.ok(loaded.includes("http"), "the list is of this agent");
    return loaded;
  };
  return { listing: ["--require", hook, program], modules };
}

const accept = { accept: "text/html, application/*" };

// Each by a text in its outermost function, by which V8's coverage of the agent finds that function.
for (const [name, text, use] of [
  [
    "jsonwebtoken when it makes its first token",
    '"expiresIn" should be a number of seconds',
    (agent) => agent.signedInAdmin(),
  ],
  [
    "mime-types, of which koa asks few requests, when there is such a one",
    "/^\\s*([^;\\s]*)(?:;|\\s|$)/",
    (agent) => agent.call("GET", "/api/version", { headers: accept }),
  ],
] as const satisfies [string, string, (agent: AgentProcess) => Promise<unknown>][])
  it(`an agent runs ${name}`, async (test) => {
    const before = await runsOf(test, text, async () => undefined);
    const after = await runsOf(test, text, use);
    assert.deepEqual([before, after], [0, 1]);
  });

it("an agent loads the parts of NTS where a time server asks for it, and leaves TLS to another process", async (test) => {
  const closed = "127.0.0.1:1";
  assert.deepEqual((await agentWith(test, closed)).parts, []);
  const { parts, modules } = await agentWith(test, { host: closed, nts: true });
  assert.deepEqual(parts, ["association", "key-exchange-process"]);
  assert.equal(modules.includes("tls"), false);
});

/** Loaded by an agent with this time server when it knows that nothing answers there. */
async function agentWith(test: TestContext, server: unknown) {
  const [directory, coverage] = [temporaryDirectory(test), temporaryDirectory(test)];
  const settings = join(directory, "settings.json");
  writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers: [server] } }));
  const { listing, modules } = listedModules(test);
  const agent = await startAgentProcess({
    program: listing,
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
  const ofNts = parts.filter((name) => /^(association|key-exchange)/.test(name)).sort();
  return { parts: ofNts, modules: modules() };
}

/** Runs of a package in an agent that is asked for its version, and does `work`. */
async function runsOf(
  test: TestContext,
  text: string,
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
  const at = readFileSync(join(program, "../parts", basename(part.url)), "utf8").indexOf(text);
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
  readonly functions: { readonly ranges: { startOffset: number; endOffset: number; count: number }[] }[];
}
