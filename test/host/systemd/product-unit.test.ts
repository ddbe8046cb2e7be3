import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createRunForRelease } from "../../../src/host/linux/releases/release-programs.ts";
import { createProductUnit } from "../../../src/host/linux/systemd/product-unit.ts";
import type { RunCommand } from "../../../src/host/ports.ts";
import type { ReleaseAtWork } from "../../../src/host/release-ports.ts";

const home = scratchDirectory();
const directory = join(home, "product");
const release: ReleaseAtWork = { kind: "rules", version: "1.0.0", directory: "/opt/it's here" };
const limits = { timeoutMilliseconds: 5_000 };
const really = createRunCommand();

/**
 * systemctl, with a `restart` that does what the unit's ExecStart= and StandardOutput= say. The scenario product-programs
 * has the real one.
 */
function systemctl(shown: string): { run: RunCommand; asked: string[] } {
  const asked: string[] = [];
  const run: RunCommand = async (program, args, within) => {
    assert.equal(program, "systemctl");
    asked.push(args.join(" "));
    const [verb = "", ...others] = args;
    const instance = /^steward-product@([a-z]+)\.service$/.exec(others.at(-1) ?? "")?.[1] ?? "";
    if (verb !== "restart") return { status: 0, stdout: verb === "show" ? shown : "", stderr: "" };
    const script = join(directory, instance);
    const begun = performance.now();
    // The PATH of a unit begins with directories of others.
    const starting = 'PATH=/of/others exec /bin/sh "$1" >"$1.output" 2>&1';
    const ended = await really("/bin/sh", ["-c", starting, "sh", script], within);
    if (performance.now() - begun >= within.timeoutMilliseconds) return ended;
    return { status: ended.status === 0 ? 0 : 1, stdout: "", stderr: "" };
  };
  return { run, asked };
}

const never = () => Promise.reject(new Error("it has a unit"));

describe("a program of the product in its unit", () => {
  it("is given its words and its environment, whatever is in them", async () => {
    const { run } = systemctl("");
    const program = join(home, 'it\'s=a "program"');
    writeFileSync(program, `#!/bin/sh\nenv | sort | tr '\\n' ' '; printf '<%s>' "$@"\n`, { mode: 0o755 });
    const inUnit = createProductUnit(run, never, directory)("activate");
    const end = await inUnit([program, "{release}/a", "$HOME `id` *", "", "-n"], release, limits);
    const said =
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin PWD=/ STEWARD_KIND=rules STEWARD_RELEASE=/opt/it's here STEWARD_VERSION=1.0.0 " +
      "</opt/it's here/a><$HOME `id` *><><-n>";
    assert.deepEqual([end.status, end.isTooSlow], [0, false]);
    assert.equal(end.said.replace(/PWD=\S+/, "PWD=/").replace(/ _=\S+/, ""), said);
    assert.deepEqual(readdirSync(directory), []);
  });

  for (const [script, shown, end] of [
    [
      "echo no pressure >&2; exit 3",
      "Result=exit-code\nExecMainCode=1\nExecMainStatus=3\n",
      { status: 3, isTooSlow: false, said: "no pressure" },
    ],
    [
      "kill -9 $$",
      "Result=signal\nExecMainCode=2\nExecMainStatus=9\n",
      { status: null, isTooSlow: false, said: "" },
    ],
  ] as const)
    it(`that ends with ${end.status} says so with its last lines, and counts as no failed unit`, async () => {
      const { run, asked } = systemctl(shown);
      const inUnit = createProductUnit(run, never, directory)("health");
      assert.deepEqual(await inUnit(["/bin/sh", "-c", script], release, limits), end);
      assert.equal(asked.at(-1), "reset-failed -- steward-product@health.service");
    });

  it("is ended with its unit when it takes too long", async () => {
    const { run, asked } = systemctl("");
    const inUnit = createProductUnit(run, never, directory)("health");
    const brief = { timeoutMilliseconds: 300 };
    const end = await inUnit(["/bin/sh", "-c", "echo still at it; exec sleep 30"], release, brief);
    assert.deepEqual(end, { status: null, isTooSlow: true, said: "still at it" });
    const verbs = asked.map((line) => line.split(" ")[0]);
    assert.deepEqual(verbs, ["restart", "kill", "stop", "reset-failed"]);
  });

  it("runs beside the guard where the package is older than the release, and has no such unit", async () => {
    const stderr =
      "Failed to restart steward-product@health.service: Unit steward-product@health.service not found.\n";
    const run: RunCommand = async () => ({ status: 5, stdout: "", stderr });
    const inUnit = createProductUnit(run, createRunForRelease(), directory)("health");
    assert.deepEqual(await inUnit(["/bin/echo", "here"], release, limits), {
      ...{ status: 0, isTooSlow: false, said: "here" },
    });
  });

  it("reads what it runs in a directory that is root's alone", async () => {
    const mode = execFileSync("stat", ["-c", "%a", directory], { encoding: "utf8" });
    assert.equal(mode, "700\n");
  });
});
