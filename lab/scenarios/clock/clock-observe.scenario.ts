import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { clockStatus, serverNames, timeSettings, trueServers, untilStatus } from "./clock-scenario.ts";

/** A unit without the capability. */
export const scenario: TieredScenario = {
  title: "without CAP_SYS_TIME the clock is measured, and sign-in is right by the measurement",
  tiers: { vm: {} },
  timeoutSeconds: 240,
  servers: trueServers,
  files: {
    ...timeSettings({ servers: serverNames }),
    "/etc/systemd/system/steward.service.d/powerless.conf": `[Service]
AmbientCapabilities=
CapabilityBoundingSet=
`,
  },
  boots: [{ rtc: -300, run: observed }],
};

async function observed(guest: Guest): Promise<void> {
  const before = await guest.clock.kernel();
  const status = await untilStatus(guest, "synchronised", 90, ({ state }) => state === "synchronised");
  guest.check(
    "it observes, and says why",
    status.mode === "observe" && status.summary.not_set?.code === "no_capability",
    status.summary,
  );
  guest.check(
    "it knows that the host is 300 s behind",
    Math.abs(status.offset_seconds - 300) < 5,
    status.offset_seconds,
  );
  const { medianSeconds } = await guest.clock.error(11_123, 3);
  guest.check("the host's clock was left alone", Math.abs(medianSeconds - 300) < 5, medianSeconds);
  guest.check("so was its frequency", (await guest.clock.kernel()).frequencyPpm === before.frequencyPpm);
  const { server_time } = await clockStatus(guest);
  const apart = Date.parse(server_time) / 1_000 - (Date.now() / 1_000 + medianSeconds);
  guest.check("what sign-in goes by is right", Math.abs(apart) < 2, apart);
  const refused = await guest.http("/api/system/time-sync");
  guest.check(
    "and so is what a 401 says",
    Math.abs(
      Date.parse(refused.body.clock?.server_time ?? server_time) / 1_000 - Date.now() / 1_000 - medianSeconds,
    ) < 5,
    refused.body,
  );
}
