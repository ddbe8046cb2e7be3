import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { clockStatus, serverNames, timeSettings, trueServers, untilStatus } from "./clock-scenario.ts";

const record = "/var/lib/steward/clock.json";

/** False servers showed 2040 for long enough, and then stopped. */
export const scenario: TieredScenario = {
  title: "a poisoned floor keeps the truth out until root resets it",
  tiers: { vm: {} },
  timeoutSeconds: 300,
  servers: trueServers,
  files: timeSettings({ servers: serverNames }),
  boots: [{ run: poisoned }],
};

async function poisoned(guest: Guest): Promise<void> {
  await untilStatus(guest, "synchronised", 90, ({ state }) => state === "synchronised");
  await guest.run("systemctl", ["stop", "steward.service"]);
  const forged = `const fs = require("node:fs"); const r = JSON.parse(fs.readFileSync("${record}", "utf8"));
    fs.writeFileSync("${record}", JSON.stringify({ ...r, floor_at: "2040-01-01T00:00:00.000Z", synchronised_boot_id: null }));`;
  await guest.run("/usr/lib/steward/bin/node", ["-e", forged]);
  await guest.run("systemctl", ["start", "steward.service"]);
  const faulty = await untilStatus(guest, "faulty", 60, ({ state }) => state === "faulty");
  guest.check(
    "the clock stands at the floor",
    String(faulty.server_time).startsWith("2040-"),
    faulty.server_time,
  );
  guest.check(
    "the status says what to do",
    faulty.summary.code === "below_floor" && faulty.summary.detail.includes("steward time floor reset"),
    faulty.summary,
  );
  const refused = await guest.run("setpriv", [
    "--reuid=nobody",
    "--clear-groups",
    "/usr/bin/steward",
    "time",
    "floor",
    "reset",
    "--yes",
  ]);
  guest.check("only root resets it", refused.status !== 0, refused);
  const reset = await guest.steward("time", "floor", "reset", "--yes");
  guest.check("root does", reset.status === 0, reset);
  await untilStatus(guest, "synchronised again", 60, ({ state }) => state === "synchronised");
  const { medianSeconds } = await guest.clock.error(11_123, 3);
  guest.check("and the clock is right", Math.abs(medianSeconds) < 0.05, medianSeconds);
  const after = await clockStatus(guest);
  guest.check("the floor is below the present", after.floor_at <= after.server_time, after.floor_at);
}
