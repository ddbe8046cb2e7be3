import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { exampleClock } from "../../../lab/command-line/example-clock.ts";
import { type LivedInState, makeLivedInState } from "../../../lab/state/damaged-state.ts";
import { lookForClockSetters } from "../../../src/cli/doctor/clock-setters.ts";
import type { DoctorContext } from "../../../src/cli/doctor/doctor-context.ts";
import { merged } from "../../../src/cli/doctor/examine.ts";
import { type Entry, entriesOf, inOrder, nextLine } from "../../../src/cli/doctor/finding.ts";
import { reportText } from "../../../src/cli/doctor/report.ts";
import { finding, line, needFinding, needOf } from "../../../src/contract/finding.ts";
import type { Need, Status } from "../../../src/contract/types.ts";
import { deviceOf, showUnit, troublesOf, unit } from "./examined.ts";

const agent = showUnit("steward.service");
const helper = showUnit("steward-helper.socket");

/** An agent with these needs answers so. */
const saying = (...needs: Need[]) => ({ needs, version: "1.2.3" }) as Status;

describe("the line that doctor has typed", () => {
  const cleanUps: (() => unknown)[] = [];
  let lived: LivedInState;
  before(async () => {
    lived = await makeLivedInState({ after: (call) => void cleanUps.push(call) });
  });
  after(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  it("installs the newer release for a state that it has written, and drops no account", async (test) => {
    for (const keepsCopies of [false, true]) {
      const device = deviceOf(test, { state: lived.original, said: { [agent]: unit("inactive") } });
      const { stateDirectory } = device.places;
      const path = join(stateDirectory, "users.json");
      const newer = readFileSync(path, "utf8").replace(
        /"version":\s*"\d+\.\d+\.\d+"/g,
        '"version": "99.0.0"',
      );
      for (const name of readdirSync(stateDirectory))
        if (name.startsWith("users.") && !keepsCopies) rmSync(join(stateDirectory, name));
      writeFileSync(path, newer);
      const troubles = await troublesOf(device);
      assert.equal(troubles[0]?.code, "document_newer");
      assert.equal(nextLine(troubles, true), "apt-get install steward");
      assert.match(
        troubles[0]?.detail ?? "",
        keepsCopies ? /steward state restore users/ : /steward state reset users/,
      );
    }
  });

  it("says what a reset takes away, and is none where another line mends as much", async (test) => {
    const device = deviceOf(test, { state: lived.original });
    const { stateDirectory } = device.places;
    for (const name of readdirSync(stateDirectory))
      if (name.startsWith("users.")) writeFileSync(join(stateDirectory, name), "");
    const troubles = await troublesOf(device);
    const lost = troubles.find(({ code }) => code === "document_lost");
    assert.match(lost?.remedy?.deletes ?? "", /^all accounts/);
    const report = { version: "1", device_time: "", is_root: true, findings: troubles, next: null };
    assert.match(reportText(report), /> steward state reset users\n +It deletes all accounts/);
    assert.equal(nextLine([lost as Entry], true), "steward state reset users");
    const other = entriesOf("agent").failing("not_running", "It is off.", "systemctl start steward.service");
    assert.equal(nextLine(inOrder([lost as Entry, other]), true), "systemctl start steward.service");
  });

  it("restarts an agent whose run directory is gone, and finds no other program at its port", async (test) => {
    const own = "   0: 0100007F:2116 00000000:0000 0A 00000000:00000000 00:00000000";
    const files = { "/proc/self/net/tcp": `  sl  local_address\n${own}\n` };
    const said = { [agent]: unit("active") };
    const gone = await troublesOf(deviceOf(test, { state: lived.original, files, said }));
    const found = gone.find(({ area }) => area === "agent");
    assert.deepEqual([found?.code, found?.remedy?.line], ["no_answer", "systemctl restart steward.service"]);
    assert.match(found?.detail ?? "", /Its socket was removed/);
    assert.equal(nextLine(gone, true), "systemctl restart steward.service");
  });

  it("sets a pipe or a link aside that is in the place of the agent's own key, and no file of root's", async (test) => {
    const put: ((path: string) => unknown)[] = [
      (path) => execFileSync("mkfifo", ["-m", "600", path]),
      (path) => symlinkSync("/dev/zero", path),
      (path) => writeFileSync(path, "no key"),
    ];
    for (const strange of put) {
      const device = deviceOf(test, { state: lived.original });
      const key = join(device.places.stateDirectory, ".seal.key");
      rmSync(key);
      strange(key);
      const found = (await troublesOf(device)).find(({ area }) => area === "keys");
      assert.equal(found?.code, "sealing_key_unusable");
      const typed = `mv ${key} ${key}.unusable; systemctl restart steward.service`;
      assert.deepEqual(found?.remedy, line(typed));
    }
  });

  it("has the guard make a new release journal where a pipe or a link is in its place", async (test) => {
    for (const strange of [
      (path: string) => execFileSync("mkfifo", [path]),
      (path: string) => symlinkSync("/dev/zero", path),
    ]) {
      const device = deviceOf(test, { state: lived.original });
      strange(join(device.places.releasesDirectory, "journal.json"));
      const found = (await troublesOf(device)).find(({ area }) => area === "updates");
      assert.equal(found?.code, "journal_damaged");
      assert.match(found?.detail ?? "", /journal\.json is a (pipe|link), and no regular file/);
      assert.equal(found?.remedy?.line, "systemctl restart steward-guard.service");
    }
  });

  it("names the members of the host file that have no effect, and changes none of them", async (test) => {
    const files = { "/steward.json": '{"colour": "red"}' };
    const found = (await troublesOf(deviceOf(test, { state: lived.original, files }))).find(
      ({ area }) => area === "host file",
    );
    assert.deepEqual([found?.code, found?.level], ["host_file_members_unknown", "attention"]);
    assert.match(found?.detail ?? "", /\/colour/);
    assert.deepEqual(found?.remedy, line("steward host-file check"));
  });

  it("brings the root helper back whose socket is gone or masked", async (test) => {
    const states = [unit("inactive"), unit("inactive").replace("loaded", "masked")];
    for (const state of states) {
      const device = deviceOf(test, { state: lived.original, said: { [helper]: state } });
      const absence = "There is none. As root: systemctl restart steward-helper.socket.";
      const host = { ...device.host, helper: { absence: () => absence } };
      const found = (await troublesOf({ ...device, host })).find(
        ({ code }) => code === "root_helper_missing",
      );
      assert.equal(found?.level, "failing");
      assert.equal(found?.remedy?.line, "systemctl restart steward-helper.socket");
      const well = await troublesOf({ ...device, host: { ...device.host, helper: { absence: () => null } } });
      assert.ok(well.every(({ code }) => code !== "root_helper_missing"));
    }
  });
});

describe("the programs that set the clock, as doctor names them", () => {
  it("are none where Steward only measures it", async (test) => {
    const said = async (clock: Parameters<typeof exampleClock>[0] | null) => {
      const answer =
        clock === null ? new Error("down") : ({ clock: exampleClock(clock) } as unknown as Status);
      const [entry] = await lookForClockSetters(deviceOf(test, {}), answer);
      return entry?.detail ?? "";
    };
    assert.match(await said({ mode: "observe", state: "synchronised" }), /^Set by no program\. /);
    assert.match(await said({ mode: "manual", state: "manual" }), /^Set by no program\. /);
    assert.equal(await said({ mode: "discipline" }), "Set by Steward, and by no other program.");
    assert.match(await said(null), /the agent, which may set it, does not answer/);
  });

  it("are not known where processes are hidden, as in the agent's unit", async (test) => {
    const answer = { clock: exampleClock({ mode: "discipline" }) } as unknown as Status;
    const look = async (device: DoctorContext) =>
      (await lookForClockSetters(device, answer)).map(({ level, code }) => `${level} ${code}`);
    const hiding = deviceOf(test, {});
    assert.deepEqual(await look(hiding), ["ok one_setter"]);
    rmSync(join(hiding.root, "proc/1"), { recursive: true });
    assert.deepEqual(await look(hiding), ["unseen setters_hidden"]);
    const script = { "/etc/cron.d/clock": "0 * * * * root ntpdate pool.ntp.org\n" };
    const scripted = deviceOf(test, { files: script });
    rmSync(join(scripted.root, "proc/1"), { recursive: true });
    assert.deepEqual(await look(scripted), ["attention second_setter"]);
  });
});

describe("what agent and doctor find", () => {
  const typed = (code: string, area: Entry["area"], level: Entry["level"]) =>
    entriesOf(area)[level](code, code, code);
  const readOnly = needOf(finding("disk_read_only", { path: "/" }, "By the agent.", line("restart")), "disk");
  const locked = needOf(needFinding("users_locked", { count: 1 }, "By the agent."));
  const damaged = needOf(finding("state_damaged", {}, "By the agent."));
  const broken = needOf(
    finding("program_broken", { parts: ["passwords"] }, "By the agent.", line("reinstall")),
  );

  it("is one by its code, and doctor's own look is taken", () => {
    const own = [typed("disk_read_only", "disk", "failing")];
    const both = merged(own, saying(readOnly, locked));
    assert.deepEqual(
      both.map(({ code, detail }) => [code, detail]),
      [
        ["disk_read_only", "disk_read_only"],
        ["users_locked", locked.detail],
      ],
    );
    const stale = merged([typed("writable", "disk", "ok")], saying(readOnly));
    assert.equal(nextLine(inOrder(stale), true), "restart");
    assert.deepEqual(merged(own, new Error("down")), own);
  });

  it("is the cause instead of the rescue that it has led to", () => {
    const own = [typed("document_newer", "state", "failing")];
    assert.deepEqual(merged(own, saying(damaged)), own);
    assert.equal(merged([], saying(damaged))[0]?.level, "failing");
  });

  it("has nothing installed for a part that works here", () => {
    const [, told] = merged([typed("program_works", "program", "ok")], saying(broken));
    assert.deepEqual([told?.level, told?.remedy], ["attention", null]);
    assert.equal(merged([], saying(broken))[0]?.remedy?.line, "reinstall");
  });

  it("is told by how grave it is, and then in the order of repair", () => {
    const found = [
      typed("log", "log", "ok"),
      typed("clock", "clock", "attention"),
      typed("https", "https", "failing"),
      typed("unseen", "keys", "unseen"),
      typed("disk", "disk", "attention"),
      typed("agent", "agent", "failing"),
    ];
    assert.deepEqual(
      inOrder(found).map(({ code }) => code),
      ["agent", "https", "disk", "clock", "unseen", "log"],
    );
    assert.equal(nextLine(inOrder(found), true), "agent");
  });

  it("reaches doctor from an agent of another version", () => {
    const [newer] = merged([], saying({ code: "of_tomorrow", facts: {} } as unknown as Need));
    assert.deepEqual([newer?.code, newer?.area, newer?.remedy], ["of_tomorrow", "device", null]);
  });
});
