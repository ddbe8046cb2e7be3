import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import * as clock from "./clock-scenario.ts";

/** One program sets the clock: a time daemon that is started takes it over, and the agent asks it from then on. */
export const scenario: TieredScenario = {
  title: "a daemon that starts in mid-flight gets the clock, and gives it back",
  tiers: { vm: {} },
  timeoutSeconds: 600,
  servers: [...clock.trueServers, { port: 123 }],
  files: {
    ...clock.timeSettings({ servers: ["10.0.2.2:11123", "[fec0::2]:11124"] }),
    // Two addresses, for chronyd takes one address for one server, whatever its ports.
    "/etc/chrony/chrony.conf": `${clock.chronyConfiguration(11_123)["/etc/chrony/chrony.conf"]}server fec0::2 port 11124 iburst\n`,
    // It knows no ports, so that the scenario's server has to be at 123.
    "/etc/systemd/timesyncd.conf": "[Time]\nNTP=10.0.2.2\nFallbackNTP=\n",
  },
  boots: [{ run: daemons }],
};

async function daemons(guest: Guest): Promise<void> {
  await clock.untilStatus(guest, "synchronised", 90, ({ state }) => state === "synchronised");
  const token = await clock.administrator(guest);
  for (const [unit, name, trust] of [
    ["chrony.service", "chronyd", "trusted"],
    ["systemd-timesyncd.service", "systemd-timesyncd", "accepted"],
  ] as const) {
    await guest.types(`systemctl start ${unit}`);
    await delegated(guest, name, trust);
    const synced = await guest.http("/api/system/time-sync/sync", { token, body: {} });
    guest.check(`${name}: POST sync has it measure, by the root helper`, synced.status === 200, synced.body);
    await guest.types(`systemctl stop ${unit}`);
    const isBack = ({ mode, state }: { mode: string; state: string }) =>
      mode === "discipline" && state === "synchronised";
    const { discipliner } = await clock.untilStatus(guest, `the agent again after ${name}`, 60, isBack);
    guest.check("the agent has the clock again", discipliner.name === "steward", discipliner);
  }
}

async function delegated(guest: Guest, name: string, trust: string): Promise<void> {
  const met = await clock.untilStatus(guest, `delegated to ${name}`, 60, ({ mode }) => mode === "delegate");
  const isGiven = met.discipliner.name === name && met.servers.in_effect === false;
  guest.check(`${name} is named, and our servers are not in effect`, isGiven, met);
  const known = await clock.untilStatus(
    guest,
    `${name} knows the time`,
    150,
    (status) => status.trust === trust,
  );
  guest.check(`${name}: there is no conflict`, known.discipliner.conflict === null, known.discipliner);
  const seen = await guest.clock.sample(40);
  const isCalm = Math.abs(seen.largestStepSeconds) < 0.05 && seen.backwards === 0;
  guest.check(`${name}: the clock is not fought over`, isCalm, seen);
  const hand = ({ steps, slews, frequency_changes }: Record<string, unknown>) =>
    JSON.stringify([steps, slews, frequency_changes]);
  const after = (await clock.clockStatus(guest)).counters;
  guest.check(`${name}: the agent's own hand rests`, hand(after) === hand(met.counters), after);
  const { medianSeconds } = await guest.clock.error(11_123);
  guest.figure(`error under ${name}`, medianSeconds * 1e6, "µs");
  guest.check(`${name}: and is right`, Math.abs(medianSeconds) < 0.05, medianSeconds);
}
