import { existsSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { buildPackages, putOlderInstallation, putPackages } from "./built.ts";
import {
  apt,
  confined,
  installed,
  keptDisabled,
  newRuntime,
  removedAndPurged,
  timekeeper,
  upgradedAndBack,
} from "./life.ts";

/** Debian 12 has no Node that is new enough: the runtime comes as a package. */
export const scenario: TieredScenario = {
  title: "the packages live and die on a bare Debian 12",
  tiers: { container: {} },
  timeoutSeconds: 300,
  machine: "bookworm",
  prepare: buildPackages,
  folders: {
    "/root/now": putPackages("now"),
    "/root/next": putPackages("next"),
    "/root/older": putOlderInstallation,
  },
  boots: [{ units: [], run: life }],
};

async function life(guest: Guest): Promise<void> {
  await beside(guest);
  await guest.run("cp", ["--archive", "/root/older/usr", "/"]);
  const without = await apt(guest, "install", "/root/now/steward.deb");
  guest.check("apt refuses the program without a runtime", without.status !== 0, without);
  await installed(guest, "steward", "steward-runtime");
  const owned = "dpkg-query --search /usr/lib/steward/parts/*.js >/dev/null";
  await guest.types(owned, { what: "nothing is left of what make install had put there" });
  const right = existsSync("/usr/lib/systemd/system/steward.service.d/10-timekeeper.conf");
  guest.check("and not the right to set the clock, which is a package of its own", !right);
  await confined(guest);
  await upgradedAndBack(guest);
  await newRuntime(guest);
  await keptDisabled(guest);
  await timekeeper(guest);
  await removedAndPurged(guest);
}

/** Two copies would be one too many: units in /usr/local come first. */
async function beside(guest: Guest): Promise<void> {
  await guest.run("sh", ["-c", "mkdir -p /usr/local/lib/steward && touch /usr/local/lib/steward/main.js"]);
  const refused = await apt(guest, "install", "/root/now/steward.deb", "/root/now/steward-runtime.deb");
  const says = `${refused.stdout}${refused.stderr}`.includes("make uninstall PREFIX=/usr/local");
  guest.check("beside one of make install in /usr/local it is refused, and says what to do", says, refused);
  await guest.run("rm", ["-r", "/usr/local/lib/steward"]);
  await apt(guest, "purge", "steward", "steward-runtime");
  guest.check("and leaves nothing", !existsSync("/usr/lib/steward"));
}
