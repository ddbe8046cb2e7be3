import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import * as clock from "./clock-scenario.ts";

/** The agent may take this many times as long as chronyd from the start of the unit to the first synchronisation. */
const mostRatio = 1.3;

/** Seconds from the start of the unit, and from its being active: without its load, which takes far longer under emulation. */
type Took = Readonly<Record<"unitSeconds" | "activeSeconds", number>>;

const rtc = "2020-01-01T00:00:00";
let chronydTook: Took | undefined;

/** A device whose battery is empty: the clock begins years in the past. chronyd puts it right, then the agent. */
export const scenario: TieredScenario = {
  title: "a boot in 2020 is put right within a minute of the unit's start, and as soon as by chronyd",
  tiers: { vm: {} },
  timeoutSeconds: 400,
  servers: clock.trueServers,
  files: {
    ...clock.timeSettings({ servers: clock.serverNames }),
    ...clock.chronyConfiguration(11_123, 11_124, 11_125),
  },
  asks: {
    "keep chronyd's time": (_host, value) => {
      chronydTook = value as Took;
    },
    "chronyd's time": () => chronydTook,
  },
  boots: [
    { rtc, units: [], run: chronyd },
    { rtc, units: [], run: agent },
  ],
};

async function chronyd(guest: Guest): Promise<void> {
  await guest.ask("keep chronyd's time", await firstSynchronisation(guest, "chrony.service"));
  const { medianSeconds } = await guest.clock.error(11_123);
  guest.figure("chronyd's error after its step", medianSeconds * 1e6, "µs");
}

async function agent(guest: Guest): Promise<void> {
  const took = await firstSynchronisation(guest, "steward.service");
  guest.check("within 60 s of the unit's start", took.unitSeconds <= 60, took);
  const peer = (await guest.ask("chronyd's time")) as Took;
  const ratio = took.unitSeconds / peer.unitSeconds;
  guest.figure("from its being active", took.activeSeconds / peer.activeSeconds, "× chronyd");
  guest.figure("from the unit's start", ratio, "× chronyd");
  guest.check(`at most ${mostRatio} times as long as chronyd`, ratio <= mostRatio, { took, peer });
  await putRight(guest);
}

/** Starts the unit, and waits until the kernel's clock is said to be synchronised. */
async function firstSynchronisation(guest: Guest, unit: string): Promise<Took> {
  const synchronised = guest.clock.synchronised(90);
  await guest.run("systemctl", ["start", "--no-block", unit]);
  const at = await synchronised;
  const since = async (property: string) => at - Number(await guest.property(property, unit)) / 1e6;
  const unitSeconds = await since("InactiveExitTimestampMonotonic");
  const activeSeconds = await since("ActiveEnterTimestampMonotonic");
  guest.figure(`${unit}: from the unit's start to synchronised`, unitSeconds, "s");
  guest.figure(`${unit}: from its being active`, activeSeconds, "s");
  return { unitSeconds, activeSeconds };
}

async function putRight(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const { mode, trust, counters } = await clock.clockStatus(guest);
  const isOwn = mode === "discipline" && trust === "trusted";
  guest.check("it disciplines the clock itself, and is trusted", isOwn, [mode, trust]);
  guest.check("node-ntp-client gave a second opinion before the step", counters.opinions > 0, counters);
  await guest.types("steward -o json events", { says: "clock.stepped", what: "the step is an event" });
  await guest.types("timedatectl show -p NTPSynchronized --value", { says: /^yes$/m });
  // Two more exchanges follow the first two, and what they find is slewed.
  await guest.pause(20);
  await clock.residual(guest, "half a minute after the first step");
  await guest.pause(75);
  await clock.residual(guest, "a minute later");
}
