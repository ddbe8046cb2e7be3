import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { temporaryDirectory, writeCommand } from "../../../lab/host/journal.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createRunForRelease } from "../../../src/host/linux/releases/release-programs.ts";
import { type ActivationOptions, createActivation } from "../../../src/host/linux/systemd/activation.ts";
import { createProductUnit } from "../../../src/host/linux/systemd/product-unit.ts";
import type { RunCommand } from "../../../src/host/ports.ts";
import type { ApplyPlan, ReleaseAtWork } from "../../../src/host/release-ports.ts";

const directory = "/var/lib/steward-releases/rules/current";
const rules: ReleaseAtWork = { kind: "rules", version: "1.3.0", directory };
const binary: ReleaseAtWork = { kind: "binary", version: "2.0.0", directory: "/releases/binary/current" };

function planOf(how: Partial<ApplyPlan>): ApplyPlan {
  const health = { http: [], command: null, successes: 6, intervalSeconds: 5, withinSeconds: 300 };
  return { unit: null, activate: null, selfTest: null, health, ...how };
}

/** An activation whose units only write their orders down. */
function activating(options: Partial<ActivationOptions> = {}) {
  const orders: string[] = [];
  const units = {
    restart: async (unit: string) => void orders.push(`restart ${unit}`),
    reload: async (unit: string) => void orders.push(`reload ${unit}`),
  };
  return { orders, activate: createActivation({ units, run: createRunForRelease(), ...options }) };
}

const internal = (words: RegExp) => (error: unknown) => {
  assert.equal(error instanceof StewardError && error.code, "internal_error", String(error));
  assert.match(String(error), words);
  return true;
};

describe("putting a release to work by its unit", () => {
  // Without a unit nothing is done: the product notices it.
  it("reloads it for rules, restarts it for a binary, and does nothing without one", async () => {
    for (const [release, unit, expected] of [
      [rules, "pump.service", ["reload pump.service"]],
      [binary, "pump.service", ["restart pump.service"]],
      [rules, null, []],
    ] as const) {
      const { orders, activate } = activating();
      await activate(planOf({ unit }), release);
      assert.deepEqual(orders, expected);
    }
  });

  it("without systemd names the missing part", async () => {
    const { activate } = activating({ units: null });
    const words = /pump\.service cannot be restarted without systemd: add update\.binary\.activate/;
    await assert.rejects(activate(planOf({ unit: "pump.service" }), binary), internal(words));
  });
});

describe("putting a release to work by a program", () => {
  it("runs that in the unit's place, with the release in its words and its environment", async (test) => {
    const { orders, activate } = activating();
    const program = writeCommand(test, "reload", 'printf "%s|" "$@" >"$0.said"; env >>"$0.said"');
    const command = [program, "--from={release}", "{release}/{release}", "a b; $(c)"];
    await activate(planOf({ unit: "pump.service", activate: command }), rules);
    assert.deepEqual(orders, []);
    const [words = "", ...environment] = readFileSync(`${program}.said`, "utf8").trim().split("|");
    const given = [words, ...environment.slice(0, 2)];
    assert.deepEqual(given, [`--from=${directory}`, `${directory}/${directory}`, "a b; $(c)"]);
    // PWD, SHLVL, OLDPWD and _ are the shell's own.
    const own = (environment[2] ?? "").split("\n").filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line));
    assert.deepEqual(own.sort(), [
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
      "STEWARD_KIND=rules",
      `STEWARD_RELEASE=${directory}`,
      "STEWARD_VERSION=1.3.0",
    ]);
  });

  it("throws with what it said where it fails, or where it is not there", async (test) => {
    const program = writeCommand(test, "reload", "echo 'no such rule: 7' >&2; exit 4");
    for (const [command, words] of [
      [program, /reload failed with status 4: no such rule: 7$/],
      ["/nowhere/reload", /\/nowhere\/reload could not be run: .*ENOENT/],
    ] as const)
      await assert.rejects(activating().activate(planOf({ activate: [command] }), rules), internal(words));
  });

  it("ends it, and what it has started, where it takes too long", async (test) => {
    const program = writeCommand(test, "reload", 'sleep 600 & echo "$!" >"$0.child"; echo busy; wait');
    const refused = activating({ patienceMilliseconds: 300 }).activate(
      planOf({ activate: [program] }),
      rules,
    );
    await assert.rejects(refused, internal(/reload took longer than 0\.3 s: busy$/));
    // Not merely a dead process that was not reaped.
    const stat = `/proc/${readFileSync(`${program}.child`, "utf8").trim()}/stat`;
    await until(
      "what it has started is gone",
      () => !existsSync(stat) || /\) [ZX]/.test(readFileSync(stat, "utf8")),
    );
  });

  it("does not wait for a daemon that it leaves, which lives on and may go on talking", async (test) => {
    const script = `(while [ ! -e "$0.end" ]; do echo talking; echo more >&2; touch "$0.$(cat "$0.step" 2>/dev/null)"; sleep 0.02; done; touch "$0.ended") & echo started`;
    const program = writeCommand(test, "reload", script);
    const begun = process.hrtime.bigint();
    await activating().activate(planOf({ activate: [program] }), rules);
    const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
    assert.ok(seconds < 5, `it was waited for ${seconds} s`);
    // It has talked again after the activation has ended, and nothing has killed it for it.
    writeFileSync(`${program}.step`, "later");
    await until("the daemon goes on", () => existsSync(`${program}.later`));
    writeFileSync(`${program}.end`, "");
    await until("the daemon ends when it is told to", () => existsSync(`${program}.ended`));
  });

  it("leaves no file of what was said, and runs where none can be made", async (test) => {
    const outputs = temporaryDirectory(test);
    const activate = (directories: string[]) =>
      createActivation({ units: null, run: createRunForRelease(directories) });
    const program = writeCommand(test, "reload", 'echo said; touch "$0.ran"');
    await activate([outputs])(planOf({ activate: [program] }), rules);
    assert.deepEqual(readdirSync(outputs), []);
    const failing = writeCommand(test, "fails", "echo said; exit 1");
    const unheard = activate([join(outputs, "nowhere")])(planOf({ activate: [failing] }), rules);
    await assert.rejects(unheard, internal(/fails failed with status 1$/));
  });
});

const home = scratchDirectory();
const place = join(home, "product");
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
    const script = join(place, instance);
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
    const inUnit = createProductUnit(run, never, place)("activate");
    const end = await inUnit([program, "{release}/a", "$HOME `id` *", "", "-n"], release, limits);
    const said =
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin PWD=/ STEWARD_KIND=rules STEWARD_RELEASE=/opt/it's here STEWARD_VERSION=1.0.0 " +
      "</opt/it's here/a><$HOME `id` *><><-n>";
    assert.deepEqual([end.status, end.isTooSlow], [0, false]);
    assert.equal(end.said.replace(/PWD=\S+/, "PWD=/").replace(/ _=\S+/, ""), said);
    assert.deepEqual(readdirSync(place), []);
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
      const inUnit = createProductUnit(run, never, place)("health");
      assert.deepEqual(await inUnit(["/bin/sh", "-c", script], release, limits), end);
      assert.equal(asked.at(-1), "reset-failed -- steward-product@health.service");
    });

  it("is ended with its unit when it takes too long", async () => {
    const { run, asked } = systemctl("");
    const inUnit = createProductUnit(run, never, place)("health");
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
    const inUnit = createProductUnit(run, createRunForRelease(), place)("health");
    assert.deepEqual(await inUnit(["/bin/echo", "here"], release, limits), {
      ...{ status: 0, isTooSlow: false, said: "here" },
    });
  });

  it("reads what it runs in a directory that is root's alone", async () => {
    const mode = execFileSync("stat", ["-c", "%a", place], { encoding: "utf8" });
    assert.equal(mode, "700\n");
  });
});
