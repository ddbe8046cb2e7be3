import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeJournal, type Owner, temporaryDirectory } from "../../../lab/host/journal.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createUnits } from "../../../src/host/linux/systemd/units.ts";
import recorded from "../../fixtures/systemd-252.json" with { type: "json" };

type Moment = keyof typeof recorded.shown;

interface Said {
  stdout?: string;
  stderr?: string;
  status?: number;
}

/** Units whose systemctl and journalctl say this, verb by verb, and write down how they were called. */
function unitsThatSay(test: Owner, said: Readonly<Record<string, Said>>) {
  const directory = temporaryDirectory(test);
  for (const [verb, { stdout = "", stderr = "" }] of Object.entries(said)) {
    writeFileSync(join(directory, `${verb}.out`), stdout);
    writeFileSync(join(directory, `${verb}.err`), stderr);
  }
  const cases = Object.entries(said).map(([verb, { status = 0 }]) => `${verb}) status=${status};;`);
  const script = (verb: string) =>
    `#!/bin/sh\ncd ${directory}\necho "$@" >>calls\ncase ${verb} in ${cases.join(" ")} *) exit 0;; esac\ncat ${verb}.out\ncat ${verb}.err >&2\nexit $status\n`;
  for (const [program, verb] of [
    ["systemctl", '"$2"'],
    ["journalctl", "log"],
  ] as const) {
    writeFileSync(join(directory, program), script(verb));
    chmodSync(join(directory, program), 0o755);
  }
  const calls = () =>
    existsSync(join(directory, "calls"))
      ? readFileSync(join(directory, "calls"), "utf8").trim().split("\n")
      : [];
  return { units: createUnits(createRunCommand({ path: `${directory}:/usr/bin:/bin` })), calls };
}

function stateAt(test: Owner, moment: Moment) {
  const stdout = recorded.shown[moment].join("\n");
  return unitsThatSay(test, { show: { stdout } }).units.state("pump.service");
}

const running = recorded.shown.running.join("\n");

describe("a unit's state, as systemd 252 told it", () => {
  const moments: [Moment, isActive: boolean, isFailed: boolean, uncleanExits: number, words: string][] = [
    ["never started", false, false, 0, "inactive, dead"],
    ["running", true, false, 0, "active, running"],
    ["killed, waiting", false, false, 1, "activating, auto-restart, killed by signal 9"],
    ["started again after kill", true, false, 1, "active, running"],
    ["restarted by hand after an unclean exit", true, false, 0, "active, running"],
    ["ended by TERM", false, false, 0, "inactive, dead"],
    ["crash, waiting", false, false, 1, "activating, auto-restart, exit status 3"],
    // Three exits, and that systemd has given it up.
    ["crash, given up", false, true, 4, "failed, exit status 3"],
    ["notify hang", false, true, 1, "failed, timeout"],
    ["starting", false, false, 0, "activating, start"],
    ["reloading", true, false, 0, "reloading, reload"],
    ["clean exits, always", false, false, 2, "activating, auto-restart"],
    ["masked", false, false, 0, "inactive, dead, masked"],
    ["no such exec, started", false, true, 1, "failed, exit status 203"],
  ];
  for (const [moment, isActive, isFailed, uncleanExits, words] of moments)
    it(`is read: ${moment}`, async (test) => {
      const { invocation, ...state } = await stateAt(test, moment);
      assert.deepEqual(state, { isActive, isFailed, uncleanExits, words });
      const text = invocation;
      assert.match(text, moment === "running" ? /^d440b30305604957a94aede579c1b958$/ : /^([0-9a-f]{32})?$/);
    });

  it("is asked for without anything in a name that could be an option; of one that is not there it is none", async (test) => {
    const { units, calls } = unitsThatSay(test, { show: { stdout: running } });
    await units.state("pump@one.service");
    assert.match(calls()[0] ?? "", /^--no-ask-password show --no-pager --property=\S+ -- pump@one\.service$/);
    const message = /unit pump\.service does not exist/;
    await assert.rejects(stateAt(test, "none"), { code: "not_found", message });
  });

  const nonsense: [string, string][] = [
    ["nothing", ""],
    ["a line too few", running.slice(running.indexOf("\n") + 1)],
    ["no number of restarts", running.replace("NRestarts=0", "NRestarts=[not set]")],
    ["a negative one", running.replace("NRestarts=0", "NRestarts=-1")],
    ["no id", running.replace(/InvocationID=.*/, "InvocationID=\u001b[2J")],
  ];
  it("is not guessed where systemctl says nonsense", async (test) => {
    for (const [what, stdout] of nonsense) {
      const { units } = unitsThatSay(test, { show: { stdout } });
      const message = /printed an unexpected value: [ -~]*$/;
      await assert.rejects(units.state("pump.service"), { code: "internal_error", message }, what);
    }
  });
});

describe("an order to a unit", () => {
  const { refusedOrders } = recorded;

  // Systemd's counts against a unit are forgotten first, also of one that is stopped, of which it knows none; a reload
  // restarts what cannot reload; a beginning does not wait.
  it("is one or two calls of systemctl", async (test) => {
    const stopped = { "reset-failed": refusedOrders["reset-failed pump.service"] };
    for (const [order, expected] of [
      ["restart", ["reset-failed -- pump.service", "restart -- pump.service"]],
      ["reload", ["reload-or-restart -- pump.service"]],
      ["begin", ["reset-failed -- pump.service", "restart --no-block -- pump.service"]],
    ] as const)
      for (const said of [{}, stopped]) {
        const { units, calls } = unitsThatSay(test, said);
        await units[order]("pump.service");
        assert.deepEqual(
          calls().map((line) => line.replace("--no-ask-password ", "")),
          expected,
        );
      }
  });

  const refusals: [keyof typeof refusedOrders, "restart" | "reload" | "begin", string, RegExp][] = [
    ["restart nowhere.service", "restart", "not_found", /Unit nowhere\.service not found/],
    ["reload-or-restart nowhere.service", "reload", "not_found", /not found/],
    ["restart nowhere.service", "begin", "not_found", /Unit nowhere\.service not found/],
    ["restart dead.service", "restart", "internal_error", /exited with error code/],
    ["restart hang.service", "restart", "internal_error", /a timeout was exceeded/],
    ["restart masked.service", "restart", "internal_error", /is masked/],
    ["reload-or-restart badreload.service", "reload", "internal_error", /status 1: Job for/],
  ];
  it("throws what systemd said", async (test) => {
    for (const [order, call, code, message] of refusals) {
      const [verb = "", unit = ""] = order.split(" ");
      const { units } = unitsThatSay(test, { [verb]: refusedOrders[order] });
      await assert.rejects(units[call](unit), { code, message }, order);
    }
  });

  it("never reaches systemd for a name that could be another unit's, or an option", async (test) => {
    const { units, calls } = unitsThatSay(test, {});
    const words =
      "pump --all.service -H.service ../x.service *.service a@.service poweroff.target a/b.service a\\x2db.service";
    const others = ["", ".service", "a b.service", "pump.service\n", `${"a".repeat(129)}.service`];
    for (const name of [...words.split(" "), ...others]) {
      for (const call of [units.state, units.restart, units.reload, units.begin])
        await assert.rejects(call(name), RangeError, name);
      await assert.rejects(units.log(name, 0, 5), RangeError, name);
    }
    assert.deepEqual(calls(), []);
  });
});

describe("the log of a unit", () => {
  it("leaves out the agent's audit lines, which are not for everybody", async (test) => {
    const stamp = { __CURSOR: "c", __REALTIME_TIMESTAMP: "1795223600500000" };
    const entry = (line: object) => JSON.stringify({ ...stamp, MESSAGE: JSON.stringify(line) });
    const head = { time: "2026-11-21T02:00:00.000Z", severity: "notice" };
    const audited = { ...head, message: "sign_in.succeeded", audit: true, actor: "root-admin" };
    const copy = JSON.stringify({
      ...JSON.parse(entry(audited)),
      ...{ MESSAGE: "sign_in.succeeded: by root-admin", STEWARD_JSON: JSON.stringify(audited) },
    });
    const stdout = `${entry({ ...head, message: "stopping" })}\n${entry(audited)}\n${copy}\n`;
    const { units } = unitsThatSay(test, { log: { stdout } });
    const lines = await units.log("steward.service", 0, 10);
    assert.equal(lines.length, 1, lines.join("; "));
    assert.match(lines[0] ?? "", /stopping/);
  });

  it("comes oldest first, in lines that drive no terminal and are cut", async (test) => {
    const stdout = recorded.journal.join("\n");
    const { units, calls } = unitsThatSay(test, { log: { stdout } });
    const lines = await units.log("words.service", 1_795_223_600_500, 20);
    const short = lines.map((line) => (line.startsWith("xxx") ? `${line.length} ${line.slice(-2)}` : line));
    const ended = ["words.service: Deactivated successfully.", "Finished words.service."];
    const shown = ["[31mred [0m  bell", "400 x…", "café \ufffd tab here"];
    assert.deepEqual(short, ["Starting words.service...", ...shown, ...ended]);
    assert.equal(
      calls()[0],
      "--unit=words.service --since=@1795223600.500 --lines=20 --reverse --output=json --output-fields=MESSAGE,STEWARD_JSON --all --quiet --no-pager",
    );
  });

  it("has no more lines than asked for, the newest, also where a message has several, or more was said than is read", async (test) => {
    const stamp = { __CURSOR: "s=1", __REALTIME_TIMESTAMP: "1795223675652728" };
    const logged = (messages: readonly string[], most: number) => {
      const stdout = messages.map((MESSAGE) => JSON.stringify({ ...stamp, MESSAGE })).join("\n");
      return unitsThatSay(test, { log: { stdout } }).units.log("pump.service", 0, most);
    };
    assert.deepEqual(await logged(["three\nfour", "one\ntwo"], 3), ["two", "three", "four"]);
    const lines = await logged(
      Array.from({ length: 300 }, (_, index) => `${300 - index} ${"x".repeat(2_000)}`),
      500,
    );
    assert.match(lines.at(-1) ?? "", /^300 x/);
    assert.ok(lines.length > 60, `only ${lines.length} lines`);
  });

  it("that cannot be read throws internal_error with why", async (test) => {
    const { units } = unitsThatSay(test, { log: { stderr: "No journal files were found.\n", status: 1 } });
    await assert.rejects(units.log("pump.service", 0, 20), {
      code: "internal_error",
      message: /status 1: No journal files were found/,
    });
  });

  it("is what the real journalctl makes of it", async (test) => {
    const place = makeJournal(test, [
      { _SYSTEMD_UNIT: "pump.service", MESSAGE: "first" },
      { _SYSTEMD_UNIT: "other.service", MESSAGE: "another's" },
      { _PID: "1", UNIT: "pump.service", _COMM: "systemd", MESSAGE: "about it" },
      { _SYSTEMD_UNIT: "pump.service", MESSAGE: "last" },
    ]);
    const run = createRunCommand({ path: "/usr/bin:/bin" });
    const units = createUnits((program, args, limits) => run(program, [...args, place], limits));
    assert.deepEqual(await units.log("pump.service", 0, 2), ["about it", "last"]);
  });
});
