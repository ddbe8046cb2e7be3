import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentProcess } from "../../lab/agents/running-agent.ts";
import { type Ending, endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { nodeArgon2 } from "../../src/accounts/users/argon2.ts";

const root = join(import.meta.dirname, "../..");

/** The program as a release has it, with its native parts as files of its own, so that they can be broken. */
async function release(suite: Ending) {
  const program = join(await temporaryDirectory(suite), "program");
  const packages = join(program, "node_modules");
  cpSync(join(root, "dist"), program, { recursive: true });
  cpSync(join(root, "node_modules/@node-rs"), join(packages, "@node-rs"), { recursive: true });
  symlinkSync(join(root, "node_modules/node-ntp-client"), join(packages, "node-ntp-client"));
  const start = async () => {
    const agent = await startAgentProcess({ program: [join(program, "main.js")] });
    suite.after(() => agent.dispose());
    const ready = (local: boolean) => agent.call("GET", "/api/health/ready", { local });
    /** Health's check of the program, as root on the device sees it. */
    const check = async (): Promise<{ status: string; detail: string }> =>
      (await agent.read("/api/health")).checks.find(({ name }: { name: string }) => name === "program");
    return { ...agent, ready, check };
  };
  return { program, modules: join(packages, "@node-rs"), start };
}

/** A Node with an argon2 of its own does not load the module. */
const withoutModule = nodeArgon2() ? { skip: "this Node hashes passwords itself" } : {};

describe("a program without its password module", withoutModule, () => {
  const suite = endOfSuite();

  it("is not ready and degraded from then on, says to strangers what does not work, and to root why", async () => {
    const { modules, start } = await release(suite);
    rmSync(modules, { recursive: true });
    const agent = await start();
    const stranger = await agent.ready(false);
    assert.deepEqual([stranger.status, stranger.json.code], [503, "not_ready"]);
    assert.match(stranger.json.detail, /^(?!.*node-rs).*passwords cannot be checked.*Install it again/s);
    const own = await agent.ready(true);
    assert.equal(own.status, 503);
    assert.match(own.json.detail, /says: passwords: Cannot find package '@node-rs\/argon2'/);
    const { status, detail } = await agent.check();
    assert.equal(status, "degraded");
    assert.match(detail, /passwords cannot be checked.*update rollback/);
    assert.match(agent.log(), /"severity":"error","message":"a part of the program does not work"/);
  });
});

describe("a program whose native modules are broken", () => {
  const suite = endOfSuite();
  let program: string;
  let modules: string;
  let start: Awaited<ReturnType<typeof release>>["start"];
  before(async () => {
    ({ program, modules, start } = await release(suite));
  });

  /** Runs the trial without the agent, and returns its lines and its exit status. */
  function report(...options: readonly string[]): { status: number | null; lines: string[] } {
    const words = [...options, join(program, "self-check.js")];
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
    return { status, lines: stdout.trim().split("\n") };
  }

  it("is well while they are not, and ready", async () => {
    const lines = ["signatures ok", "two-factor ok", "passwords ok", "clock ok", "sandbox ok", "rights ok"];
    assert.deepEqual(report(), { status: 0, lines });
    const agent = await start();
    const { status, json } = await agent.ready(false);
    assert.deepEqual([status, json.status, (await agent.check()).status], [200, "ok", "ok"]);
    const maps = readFileSync(`/proc/${agent.pid}/maps`, "utf8");
    assert.ok(!maps.includes("argon2"), "the agent holds the module that was tried");
  });

  it("says so of a clock addon that is not there though the build made one", () => {
    rmSync(join(program, "clock-steering.node"));
    const { status, lines } = report();
    assert.equal(status, 1);
    assert.match(lines.at(-3) ?? "", /^clock failed: ENOENT/);
  });

  it("says so of rights that neither it nor Node can give up, as Debian's cannot", () => {
    const preload = join(program, "refusing.cjs");
    const refusal = 'throw new Error("setgroups() disabled: io_uring may be enabled.")';
    writeFileSync(preload, `process.setgroups = () => { ${refusal} };`);
    const { status, lines } = report("--require", preload);
    const said = [status, lines.at(-1)];
    assert.deepEqual(said, [1, "rights failed: setgroups() disabled: io_uring may be enabled."]);
  });

  it("ends the trial, and not the agent, with a password module that is cut off", withoutModule, async () => {
    const native = readdirSync(modules).find((name) => name.startsWith("argon2-linux")) ?? "";
    const file = readdirSync(join(modules, native)).find((name) => name.endsWith(".node")) ?? "";
    // The loader maps what the headers say, and reading behind the end of the file is SIGBUS.
    truncateSync(join(modules, native, file), 64 * 1_024);
    const agent = await start();
    const { status, json } = await agent.ready(true);
    assert.equal(status, 503);
    assert.match(json.detail, /passwords cannot be checked.* self-check says: passwords: /);
    assert.equal((await agent.call("GET", "/api/version")).status, 200);
  });
});
