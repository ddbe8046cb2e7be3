import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { administrator, clockStatus, timeSettings, trueServers, untilStatus } from "./clock-scenario.ts";
import { chronyConfiguration, timesyncdConfiguration } from "./time-daemons.ts";

/** One program sets the clock: a time daemon that is started takes it over, and the agent asks it from then on. */
export const scenario: TieredScenario = {
  title: "a daemon that starts in mid-flight gets the clock, and gives it back",
  tiers: { vm: {} },
  timeoutSeconds: 600,
  servers: [...trueServers, { port: 123 }],
  files: {
    ...timeSettings({ servers: ["10.0.2.2:11123", "[fec0::2]:11124"] }),
    // Two addresses, for chronyd takes one address for one server, whatever its ports.
    "/etc/chrony/chrony.conf": `${chronyConfiguration(11_123)["/etc/chrony/chrony.conf"]}server fec0::2 port 11124 iburst
`,
    ...timesyncdConfiguration,
  },
  boots: [{ run: daemons }],
};

async function daemons(guest: Guest): Promise<void> {
  await untilStatus(guest, "synchronised", 90, ({ state }) => state === "synchronised");
  const { token } = await administrator(guest);
  for (const [unit, name, trust] of [
    ["chrony.service", "chronyd", "trusted"],
    ["systemd-timesyncd.service", "systemd-timesyncd", "accepted"],
  ] as const) {
    await delegated(guest, { unit, name, trust, token });
  }
}

interface Daemon {
  readonly unit: string;
  readonly name: string;
  readonly trust: string;
  readonly token: string;
}

async function delegated(guest: Guest, { unit, name, trust, token }: Daemon): Promise<void> {
  await guest.run("systemctl", ["start", unit]);
  const met = await untilStatus(guest, `delegated to ${name}`, 60, ({ mode }) => mode === "delegate");
  guest.check(`${name} is named`, met.discipliner.name === name, met.discipliner);
  guest.check(`${name}: our servers are not in effect`, met.servers.in_effect === false, met.servers);
  const { frequency_changes, steps, slews } = met.counters;
  const known = await untilStatus(guest, `${name} knows the time`, 150, (status) => status.trust === trust);
  guest.check(`${name}: there is no conflict`, known.discipliner.conflict === null, known.discipliner);
  const { largestStepSeconds, backwards } = await guest.clock.sample(40);
  guest.check(
    `${name}: the clock is not fought over`,
    Math.abs(largestStepSeconds) < 0.05 && backwards === 0,
    largestStepSeconds,
  );
  const after = (await clockStatus(guest)).counters;
  guest.check(
    `${name}: the agent's own hand rests`,
    after.steps === steps && after.slews === slews && after.frequency_changes === frequency_changes,
    [met.counters, after],
  );
  const { medianSeconds } = await guest.clock.error(11_123);
  guest.figure(`error under ${name}`, Math.round(medianSeconds * 1e6), "µs");
  guest.check(`${name}: and is right`, Math.abs(medianSeconds) < 0.05, medianSeconds);
  const synced = await guest.http("/api/system/time-sync/sync", { token, body: {} });
  guest.check(
    `${name}: POST sync has it measure, through the root helper`,
    synced.status === 200,
    synced.body,
  );
  await guest.run("systemctl", ["stop", unit]);
  const back = await untilStatus(
    guest,
    `the agent again after ${name}`,
    60,
    ({ mode, state }) => mode === "discipline" && state === "synchronised",
  );
  guest.check(
    `after ${name} the agent has the clock again`,
    back.discipliner.name === "steward",
    back.discipliner,
  );
}
