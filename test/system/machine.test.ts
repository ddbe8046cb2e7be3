import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../src/contract/errors.ts";
import type { RootOrder } from "../../src/host/ports.ts";
import { createMachine, type MachineOptions } from "../../src/system/machine.ts";
import { supportOf } from "../../src/system/support.ts";

/** A machine in memory: what root's helper was asked for, and what this process goes by. */
function exampleMachine(change: Partial<MachineOptions> = {}) {
  const asked: RootOrder[] = [];
  const adopted: string[] = [];
  const present = { hostname: "edge", zone: "UTC" };
  const machine = createMachine({
    identity: {
      ...{ deviceId: "d", isLasting: true, bootId: "boot-1", os: "", kernel: "", arch: "" },
      get hostname() {
        return present.hostname;
      },
    },
    names: {
      timeZone: async () => present.zone,
      timeZoneFault: (name) => (["UTC", "Europe/Berlin"].includes(name) ? null : "is no zone here"),
      timeZoneTrouble: () => null,
      adoptHostName: (hostname) => void Object.assign(present, { hostname }),
      adoptTimeZone: (zone) => void Object.assign(present, { zone }),
    },
    helper: { ask: async (order) => void asked.push(order), mayBeAsked: true, absence: () => null },
    updates: () => ({ trial: null }),
    requestReset: async () => void adopted.push("reset"),
    supportUntil: null,
    time: { isTrusted: () => true, now: () => new Date("2026-11-22T12:00:00Z") },
    zoneChanged: () => void adopted.push("windows"),
    ...change,
  });
  return { machine, asked, adopted };
}

describe("the machine", () => {
  it("asks root for a name and a zone that are new, goes by them at once, and asks for nothing else", async () => {
    const { machine, asked, adopted } = exampleMachine();
    assert.deepEqual(await machine.change({ host_name: "edge", time_zone: "UTC" }), {});
    assert.deepEqual([await machine.change({}), asked], [{}, []]);
    assert.deepEqual(await machine.change({ host_name: "pump-7", time_zone: "Europe/Berlin" }), {
      ...{ host_name: "pump-7", host_name_before: "edge" },
      ...{ time_zone: "Europe/Berlin", time_zone_before: "UTC" },
    });
    assert.deepEqual(asked, [
      { word: "host-name", name: "pump-7" },
      { word: "time-zone", zone: "Europe/Berlin" },
    ]);
    const { host_name, time_zone } = await machine.settings();
    assert.deepEqual([host_name, time_zone, adopted], ["pump-7", "Europe/Berlin", ["windows"]]);
  });

  it("names a zone that this device does not have, and changes nothing", async () => {
    const { machine, asked } = exampleMachine();
    const change = machine.change({ host_name: "pump-7", time_zone: "Europe/Bonn" });
    await assert.rejects(change, (error) => {
      assert.ok(error instanceof StewardError);
      assert.match(error.message, /^Member \/time_zone is no zone here\. Nothing was changed/);
      return error.details.errors?.[0]?.pointer === "/time_zone";
    });
    assert.deepEqual(asked, []);
  });

  it("keeps what it goes by where root's helper refuses", async () => {
    const ask = () => Promise.reject(new StewardError("forbidden", "This host has no root helper."));
    const { machine, adopted } = exampleMachine({ helper: { ask, mayBeAsked: true, absence: () => null } });
    await assert.rejects(machine.change({ time_zone: "Europe/Berlin" }), { code: "host_right_missing" });
    assert.deepEqual([(await machine.settings()).time_zone, adopted], ["UTC", []]);
  });

  it("goes down, and names the boot that ends", async () => {
    const { machine, asked } = exampleMachine();
    assert.deepEqual(await machine.goDown("reboot", false), { boot_id: "boot-1" });
    await machine.goDown("power-off", false);
    assert.deepEqual(asked, [{ word: "reboot" }, { word: "power-off" }]);
  });

  it("goes down during a trial only by force, and is never reset then", async () => {
    type Trial = ReturnType<MachineOptions["updates"]>["trial"];
    const trial = { kind: "rules", name: "base", version: "1.3.0" } as Trial;
    const { machine, asked, adopted } = exampleMachine({ updates: () => ({ trial }) });
    await assert.rejects(machine.goDown("reboot", false), /the rules 1\.3\.0.*`force`/);
    await assert.rejects(machine.reset(), { code: "update_busy" });
    assert.deepEqual([asked, adopted], [[], []]);
    await machine.goDown("reboot", true);
    assert.deepEqual(asked, [{ word: "reboot" }]);
  });
});

describe("the maker's support", () => {
  const at = (now: string, isTrusted = true, until: string | null = "2026-12-31") =>
    supportOf(until, { isTrusted: () => isTrusted, now: () => new Date(now) });

  it("lasts to the end of its last day, and is about to end 90 days before", () => {
    const times = ["2026-10-02T23:59:59Z", "2026-10-03T00:00:00Z", "2026-12-31T23:59:59Z"];
    const found = [...times, "2027-01-01T00:00:00Z"].map((now) => at(now));
    assert.deepEqual(found, ["supported", "ending", "ending", "ended"]);
  });

  it("is not judged by a clock that is not trusted, nor without a day", () =>
    assert.deepEqual(
      [at("2030-01-01T00:00:00Z", false), at("2030-01-01T00:00:00Z", true, null)],
      ["unknown", "unknown"],
    ));
});
