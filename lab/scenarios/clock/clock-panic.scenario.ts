import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { clockStatus, serverNames, timeSettings, trueServers, untilStatus } from "./clock-scenario.ts";

/** Another program sets the clock of a device in service wrong, by more than it may correct unattended. */
export const scenario: TieredScenario = {
  title: "2000 s off in service is refused, and force mends it",
  tiers: { vm: {} },
  timeoutSeconds: 400,
  servers: trueServers,
  files: timeSettings({ servers: serverNames }),
  boots: [{ run: panicked }],
};

async function panicked(guest: Guest): Promise<void> {
  await untilStatus(guest, "synchronised", 90, ({ state }) => state === "synchronised");
  await guest.clock.step(2_000);
  const contested = await untilStatus(
    guest,
    "a conflict",
    60,
    ({ discipliner }) => discipliner.conflict !== null,
  );
  guest.check(
    "the foreign step is named",
    Math.round(contested.discipliner.conflict.step_seconds) === 2_000,
    contested.discipliner,
  );
  const trueMilliseconds = Date.now() - 2_000_000;
  const apart = Math.abs(Date.parse(contested.server_time) - trueMilliseconds) / 1_000;
  guest.check("what sign-in goes by was not moved", apart < 20, apart);
  const plain = await guest.steward("time", "sync");
  guest.check(
    "sync refuses: panic_threshold",
    plain.status === 9 && plain.stderr.includes("panic_threshold"),
    plain,
  );
  guest.check(
    "and the clock stands",
    Math.abs((await guest.clock.error(11_123, 1)).medianSeconds + 2_000) < 1,
  );
  await guest.pause(11);
  const forced = await guest.steward("time", "sync", "--force");
  guest.check("sync --force steps", forced.status === 0, forced);
  const { medianSeconds } = await guest.clock.error(11_123, 3);
  guest.check("and the clock is right", Math.abs(medianSeconds) < 0.05, medianSeconds);
  const status = await clockStatus(guest);
  guest.check(
    "synchronised, by its own hand",
    status.state === "synchronised" && status.mode === "discipline",
    status,
  );
  const events = (await guest.steward("-o", "json", "events")).stdout;
  for (const type of ["clock.contested", "clock.panicked", "clock.stepped"]) {
    guest.check(`${type} is an event`, events.includes(type));
  }
}
