import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { temporaryDirectory, writeCommand } from "../../../lab/host/journal.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createRunForRelease } from "../../../src/host/linux/releases/release-programs.ts";
import { type ActivationOptions, createActivation } from "../../../src/host/linux/systemd/activation.ts";
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
  for (const [release, unit, expected] of [
    [rules, "pump.service", ["reload pump.service"]],
    [binary, "pump.service", ["restart pump.service"]],
    [rules, null, []],
  ] as const)
    it(`is ${expected} for ${release.kind} of ${unit}`, async () => {
      const { orders, activate } = activating();
      await activate(planOf({ unit }), release);
      assert.deepEqual(orders, expected);
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
    const { activate } = activating({ patienceMilliseconds: 300 });
    const refused = activate(planOf({ activate: [program] }), rules);
    await assert.rejects(refused, internal(/reload took longer than 0\.3 s: busy$/));
    const child = readFileSync(`${program}.child`, "utf8").trim();
    await until("what it has started is gone", () => !isAlive(child));
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

/** Not merely a dead process that was not reaped. */
function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
