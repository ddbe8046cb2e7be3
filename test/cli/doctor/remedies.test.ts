import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { exampleClock } from "../../../lab/command-line/example-clock.ts";
import { lookForClockSetters } from "../../../src/cli/doctor/clock-setters.ts";
import type { DoctorContext } from "../../../src/cli/doctor/doctor-context.ts";
import { merged } from "../../../src/cli/doctor/examine.ts";
import { type Entry, entriesOf, inOrder, nextLine } from "../../../src/cli/doctor/finding.ts";
import { finding, line, needFinding, needOf } from "../../../src/contract/finding.ts";
import type { Need, Status } from "../../../src/contract/types.ts";
import { deviceOf } from "./examined.ts";

/** An agent with these needs answers so. */
const saying = (...needs: Need[]) => ({ needs, version: "1.2.3" }) as Status;

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
  const broken = needOf(finding("program_broken", { parts: ["x"] }, "By the agent.", line("reinstall")));

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
      typed("un", "keys", "unseen"),
      typed("disk", "disk", "attention"),
      typed("agent", "agent", "failing"),
    ];
    const codes = inOrder(found).map(({ code }) => code);
    assert.deepEqual(codes, ["agent", "https", "disk", "clock", "un", "log"]);
    assert.equal(nextLine(inOrder(found), true), "agent");
  });

  it("reaches doctor from an agent of another version", () => {
    const [newer] = merged([], saying({ code: "of_tomorrow", facts: {} } as unknown as Need));
    assert.deepEqual([newer?.code, newer?.area, newer?.remedy], ["of_tomorrow", "device", null]);
  });
});
