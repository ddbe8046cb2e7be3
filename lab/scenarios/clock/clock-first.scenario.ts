import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import {
  activeSeconds,
  clockStatus,
  residual,
  serverNames,
  timeSettings,
  trueServers,
  untilStatus,
} from "./clock-scenario.ts";
import { chronyConfiguration } from "./time-daemons.ts";

/** A device whose battery is empty: the clock begins years in the past. */
export const scenario: TieredScenario = {
  title: "a boot in 2020 is put right within a minute of the unit's start",
  tiers: { vm: {} },
  timeoutSeconds: 400,
  servers: trueServers,
  files: { ...timeSettings({ servers: serverNames }), ...chronyConfiguration(11_123, 11_124, 11_125) },
  boots: [{ rtc: "2020-01-01T00:00:00", run: first }],
};

async function first(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  guest.mark("the agent answers");
  const status = await untilStatus(guest, "synchronised", 45, ({ state }) => state === "synchronised");
  guest.mark("synchronised");
  const took = await activeSeconds(guest, "steward.service");
  guest.figure("from the unit's start to synchronised", Math.round(took * 10) / 10, "s");
  guest.check("within 60 s of the unit's start", took <= 60, took);
  guest.check(
    "it disciplines the clock itself, and is trusted",
    status.mode === "discipline" && status.trust === "trusted",
    status,
  );
  const events = (await guest.steward("-o", "json", "events")).stdout;
  guest.check(
    "node-ntp-client was asked for a second opinion before the step",
    status.counters.opinions > 0,
    status.counters,
  );
  guest.check("the step is an event", events.includes("clock.stepped"), events.slice(0, 2_000));
  const { stdout } = await guest.run("timedatectl", ["show", "-p", "NTPSynchronized", "--value"]);
  guest.check("timedatectl says synchronised", stdout.trim() === "yes", stdout);
  // Two more exchanges follow the first two, and what they find is slewed.
  await guest.pause(20);
  await residual(guest, "half a minute after the first step");
  await guest.pause(75);
  await residual(guest, "a minute later");
  guest.note(JSON.stringify(await clockStatus(guest)));
  await chronyBeside(guest, took);
}

/** The same machine, put right by chronyd instead. */
async function chronyBeside(guest: Guest, took: number): Promise<void> {
  await guest.run("systemctl", ["stop", "steward.service"]);
  await guest.clock.step(-100);
  await guest.run("systemctl", ["start", "chrony.service"]);
  await guest.until("chronyd has stepped and synchronised", 90, async () => {
    const { synchronised } = await guest.clock.kernel();
    return synchronised && Math.abs((await guest.clock.error(11_123, 1)).medianSeconds) < 0.05;
  });
  const chronyTook = await activeSeconds(guest, "chrony.service");
  guest.figure("the same for chronyd", Math.round(chronyTook * 10) / 10, "s");
  guest.figure("ratio", Math.round((took / chronyTook) * 100) / 100, "× chronyd");
  const { medianSeconds } = await guest.clock.error(11_123);
  guest.figure("chronyd's error after its step", Math.round(medianSeconds * 1e6), "µs");
}
