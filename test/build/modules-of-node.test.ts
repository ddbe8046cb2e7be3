import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { it, type TestContext } from "node:test";
import { type AgentProcess, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";

const program = join(import.meta.dirname, "../../dist/main.js");

/** An agent that does this work, the modules of Node's that it has loaded when it ends, and its scripts as V8 has covered them. */
async function agentAfter(
  test: TestContext,
  work: (agent: AgentProcess) => Promise<unknown>,
  environment: Record<string, string> = {},
) {
  const directory = temporaryDirectory(test);
  const [hook, list, coverage] = ["hook.cjs", "list", "coverage"].map((name) => join(directory, name));
  const writing = `require("fs").writeFileSync(${JSON.stringify(list)},process.moduleLoadList.join("\\n"))`;
  // The process that exchanges keys ends after the agent, and would write its coverage into a directory that goes.
  const onlyHere = "delete process.env.NODE_V8_COVERAGE";
  writeFileSync(String(hook), `${onlyHere};process.on("exit",()=>${writing})`);
  const agent = await startAgentProcess({
    program: ["--require", String(hook), program],
    environment: { NODE_V8_COVERAGE: String(coverage), ...environment },
  });
  test.after(() => agent.dispose());
  await agent.call("GET", "/api/version");
  await work(agent);
  await agent.stop();
  const modules = readFileSync(String(list), "utf8").replaceAll("NativeModule ", "").split("\n");
  assert.ok(modules.includes("http"), "the list is of this agent");
  const [file = ""] = readdirSync(String(coverage));
  const { result } = JSON.parse(readFileSync(join(String(coverage), file), "utf8")) as {
    result: { url: string; functions: { ranges: Range[] }[] }[];
  };
  const covered = result.flatMap(({ url, functions }) => {
    const [, part = ""] = /\/parts\/([a-z-]+)-\w+\.js$/.exec(url) ?? [];
    return part === "" ? [] : [{ part, url, ranges: functions.flatMap(({ ranges }) => ranges) }];
  });
  return { modules, covered };
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

const nothing = async () => undefined;

it("an agent loads a module of Node's when it first uses it, though the sources import it as any other", async (test) => {
  const { modules } = await agentAfter(test, nothing);
  const internal = ["dns/promises", "async_local_storage", "async_context_frame", "blocklist"];
  const costly = ["tls", "https", "worker_threads", "zlib", "perf_hooks"];
  // Node 24 has one of them loaded before a program begins.
  const bare = execFileSync(process.execPath, ["-p", 'process.moduleLoadList.join("\\n")'], {
    encoding: "utf8",
  });
  const loaded = [...costly, ...internal.map((name) => `internal/${name}`)].filter(
    (name) => modules.includes(name) && !bare.includes(`NativeModule ${name}\n`),
  );
  assert.deepEqual(loaded, []);
});

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
    (agent) => agent.call("GET", "/api/version", { headers: { accept: "text/html, application/*" } }),
  ],
] as const satisfies [string, string, (agent: AgentProcess) => Promise<unknown>][])
  it(`an agent runs ${name}`, async (test) => {
    const runs: (number | undefined)[] = [];
    for (const work of [nothing, use]) {
      const { covered } = await agentAfter(test, work);
      const [{ url, ranges } = assert.fail("the agent is covered")] = covered.filter(
        ({ part }) => part === "agent",
      );
      // The path is that of the build, which the code cache has.
      const at = readFileSync(join(program, "../parts", basename(url)), "utf8").indexOf(text);
      assert.ok(at > 0, "the agent has the package");
      const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
      runs.push(around.toSorted((a, b) => b.startOffset - a.startOffset)[0]?.count);
    }
    assert.deepEqual(runs, [0, 1]);
  });

it("an agent loads the parts of NTS where a time server asks for it, and leaves TLS to another process", async (test) => {
  const closed = "127.0.0.1:1";
  for (const [server, expected] of [
    [closed, []],
    [{ host: closed, nts: true }, ["association", "key-exchange-process"]],
  ] as const) {
    const settings = join(temporaryDirectory(test), "settings.json");
    writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers: [server] } }));
    const asked = ({ call }: AgentProcess) =>
      until("the server was asked", async () => {
        const { json } = await call("GET", "/api/system/time-sync", { local: true });
        return json.sources[0]?.state === "unreachable";
      });
    const { modules, covered } = await agentAfter(test, asked, { STEWARD_INITIAL_SETTINGS: settings });
    const parts = covered.map(({ part }) => part);
    assert.ok(parts.includes("agent"), "the agent is covered");
    const ofNts = parts.filter((name) => /^(association|key-exchange)/.test(name)).sort();
    assert.deepEqual([ofNts, modules.includes("tls")], [expected, false]);
  }
});
