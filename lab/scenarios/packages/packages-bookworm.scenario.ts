import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { packagesIn, packagesOf, putOlderInstallation } from "./built.ts";
import * as packages from "./life.ts";

/** Debian 12 has no Node that is new enough: the runtime comes as a package. */
export const scenario: TieredScenario = {
  title: "the packages live and die on a bare Debian 12",
  tiers: { container: {} },
  timeoutSeconds: 300,
  machine: "bookworm",
  prepare: packagesOf("now", "next"),
  folders: { ...packagesIn("now", "next").folders, "/root/older": putOlderInstallation },
  boots: [{ units: [], run: life }],
};

async function life(guest: Guest): Promise<void> {
  await beside(guest);
  await guest.run("cp", ["--archive", "/root/older/usr", "/"]);
  const without = await packages.apt(guest, "install", "/root/now/steward.deb");
  guest.check("apt refuses the program without a runtime", without.status !== 0, without);
  await packages.installed(guest, "steward", "steward-runtime");
  const owned = "dpkg-query --search /usr/lib/steward/parts/*.js >/dev/null";
  await guest.types(owned, { what: "nothing is left of what make install had put there" });
  await guest.types("! ls /usr/lib/systemd/system/steward.service.d/10-timekeeper.conf", {
    what: "nor the right to set the clock, which is a package of its own",
  });
  await packages.confined(guest);
  await packages.upgradedAndBack(guest);
  await packages.newRuntime(guest);
  await packages.keptDisabled(guest);
  await packages.timekeeper(guest);
  await packages.removedAndPurged(guest);
}

/** Two copies would be one too many: units in /usr/local come first. */
async function beside(guest: Guest): Promise<void> {
  await guest.types("mkdir -p /usr/local/lib/steward && touch /usr/local/lib/steward/main.js");
  const refused = await packages.apt(
    guest,
    "install",
    "/root/now/steward.deb",
    "/root/now/steward-runtime.deb",
  );
  const says = `${refused.stdout}${refused.stderr}`.includes("make uninstall PREFIX=/usr/local");
  guest.check("beside one of make install in /usr/local it is refused, and says what to do", says, refused);
  await guest.types("rm -r /usr/local/lib/steward");
  await packages.apt(guest, "purge", "steward", "steward-runtime");
  await guest.types("! ls -d /usr/lib/steward", { what: "and leaves nothing" });
}
