import { median, quantile } from "../../basics/quantile.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, TieredScenario } from "../../machines/scenario.ts";
import { chronyConfiguration, serverNames, timeSettings, trueServers } from "./clock-scenario.ts";

const daemons = ["chrony.service", "steward.service"] as const;
type Daemon = (typeof daemons)[number];

/** Minutes that each of them holds the clock, in two turns, and those before each turn that it may settle in. */
const heldMinutes = 30;
const turns = 2;
const settlingMinutes = 3;

/** Seconds between two readings, and NTP exchanges of each, of which the one with the shortest delay counts. */
const readingSeconds = 20;
const exchanges = 32;

/** The agent's median may be this many times chronyd's. */
const mostRatio = 1.2;

/** `scatter`: the difference of a second reading at once, which is the yardstick's own. */
type Reading = Readonly<Record<"error" | "scatter", number>>;

const all: Record<Daemon, Reading[]> = { "chrony.service": [], "steward.service": [] };

/** Each gets half an hour, in turns, so that a busy quarter of an hour of the host does not hit only one. */
export const scenario: TieredScenario = {
  title: `the agent holds the clock with at most ${mostRatio} times the error of chronyd`,
  tiers: { vm: {} },
  slowMinutes: daemons.length * (heldMinutes + turns * settlingMinutes) + 3,
  timeoutSeconds: (heldMinutes + turns * settlingMinutes + 6) * 60 * daemons.length,
  servers: trueServers,
  files: { ...timeSettings({ servers: serverNames }), ...chronyConfiguration(11_123, 11_124, 11_125) },
  asks: {
    "keep the readings": (_host, value) => {
      const { unit, readings } = value as { unit: Daemon; readings: Reading[] };
      all[unit].push(...readings);
    },
    "all readings": () => all,
  },
  boots: Array.from({ length: turns }, (_, turn) =>
    daemons.map((unit, index): Boot => {
      const isLast = turn === turns - 1 && index === daemons.length - 1;
      return { units: [unit], run: (guest) => holding(guest, unit, isLast) };
    }),
  ).flat(),
};

async function holding(guest: Guest, unit: Daemon, isLast: boolean): Promise<void> {
  await guest.clock.synchronised(120);
  await guest.pause(settlingMinutes * 60);
  const readings: Reading[] = [];
  const end = performance.now() + (heldMinutes / turns) * 60_000;
  while (performance.now() < end) {
    const first = await guest.clock.exchanged(11_123, exchanges);
    const second = await guest.clock.exchanged(11_123, exchanges);
    readings.push({ error: Math.abs(first), scatter: Math.abs(first - second) });
    await guest.pause(readingSeconds);
  }
  await guest.ask("keep the readings", { unit, readings });
  figures(guest, `${unit}, this turn`, readings);
  if (isLast) compare(guest, (await guest.ask("all readings")) as Record<Daemon, Reading[]>);
}

function figures(guest: Guest, name: string, readings: readonly Reading[]): void {
  guest.figure(`${name}: readings`, readings.length, "");
  const errors = readings.map(({ error }) => error);
  for (const [what, part] of [
    ["median", 0.5],
    ["90 % within", 0.9],
    ["worst", 1],
  ] as const)
    guest.figure(`${name}: error, ${what}`, quantile(errors, part) * 1e6, "µs");
  const scatters = readings.map(({ scatter }) => scatter);
  guest.figure(`${name}: the yardstick's own scatter, median`, quantile(scatters, 0.5) * 1e6, "µs");
}

function compare(guest: Guest, readings: Readonly<Record<Daemon, readonly Reading[]>>): void {
  for (const unit of daemons) figures(guest, `${unit}, all turns`, readings[unit]);
  const [chronyd = 0, agent = 0] = daemons.map((unit) => median(readings[unit].map(({ error }) => error)));
  const ratio = agent / chronyd;
  guest.figure("the agent's median error", ratio, "× chronyd's");
  guest.check(`at most ${mostRatio} times that of chronyd`, ratio <= mostRatio, ratio);
}
