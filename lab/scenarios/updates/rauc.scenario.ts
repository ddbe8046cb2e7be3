import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, TieredScenario } from "../../machines/scenario.ts";
import { raucFiles } from "./rauc/boot-loader.ts";
import { imageRelease, putKeyring, putSlots } from "./rauc/images.ts";
import * as updates from "./update-scenario.ts";

const units = ["steward.service", "demo-boot.service", "demo-product.service", "steward-rauc.service"];

/** docs/updates/rauc.md as it is written, on a device with Debian's RAUC and a boot loader of the scenario's. */
export const scenario: TieredScenario = {
  title: "the update hooks drive RAUC: a good image is marked good, a bad one undone, a foreign one refused",
  tiers: { container: {} },
  timeoutSeconds: 600,
  keepsDisk: true,
  hasLoopDevices: true,
  ...updates.updateScenario("pump-7"),
  files: { ...updates.updateSettings(), ...raucFiles },
  folders: { "/opt/slots": putSlots, "/etc/rauc": putKeyring },
  asks: {
    ...updates.publishing(
      imageRelease("1.1.0"),
      imageRelease("1.2.0", "unhealthy"),
      imageRelease("1.3.0", "good", "stranger"),
    ),
    "the recipe": () => readFileSync(join(import.meta.dirname, "../../../docs/updates/rauc.md"), "utf8"),
  },
  boots: [
    { units: ["steward.service"], run: settingUp },
    { units, run: installing("1.1.0", "1.0.0") },
    { units, run: goodImage },
    { units, run: badImage },
    { units, run: oldImage },
  ],
};

/** A person does this once: the slots of the factory, and the recipe. */
async function settingUp(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const recipe = String(await guest.ask("the recipe"));
  const blocks = [...recipe.matchAll(/^`(\/[^`]+)`.*?\n```([\w ]+)\n(.*?)^```$/gms)];
  const paths = blocks.map(([, path]) => path);
  guest.check("the recipe has its three files", paths.length === 3, paths);
  for (const [, path = "", , text = ""] of blocks) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith(".json") ? impatient(text) : text);
  }
  await guest.types(
    "cp -aT /opt/slots /var/slots; chmod 755 /usr/lib/steward-rauc/steward-rauc /usr/lib/demo/boot-loader",
  );
}

/** The recipe's host file, but for how long things may take. */
function impatient(text: string): string {
  const decisions = JSON.parse(text);
  Object.assign(decisions.update.binary.health, { within: "20s", interval: "1s", successes: 3 });
  return JSON.stringify(decisions);
}

function installing(version: string, present: string): Boot["run"] {
  return async (guest) => {
    await updates.trusting(guest);
    guest.check(
      `the device runs ${present}`,
      (await updates.productSays()) === present,
      await updates.productSays(),
    );
    await updates.offered(guest, "binary", version);
    await updates.applied(guest, "binary");
    await rebooting(guest);
    guest.check(`${version} is on the other slot`, slots().includes(`bundle.version=${version}`), slots());
  };
}

async function goodImage(guest: Guest): Promise<void> {
  const { id = "" } = updates.releaseJournal().slots.binary.trial?.release ?? {};
  const entry = await updates.outcomeOf(guest, id, 120);
  const isGood = entry.outcome === "good" && (await updates.productSays()) === "1.1.0";
  guest.check("the image is good, and what runs", isGood, entry);
  await guest.types("cat /var/lib/boot-loader/left-B", {
    says: "confirmed",
    what: "RAUC has marked it good",
  });
  await guest.stewardAnswers();
  await updates.offered(guest, "binary", "1.2.0");
  await updates.applied(guest, "binary");
  await rebooting(guest);
}

/** It comes up, and is not healthy: the way back is a reboot too. */
async function badImage(guest: Guest): Promise<void> {
  await guest.until("the bad image runs", 60, async () => (await updates.productSays()).includes("1.2.0"));
  await rebooting(guest);
  const { trial } = updates.releaseJournal().slots.binary;
  guest.check("it is being undone", trial?.undo?.outcome === "failed", trial);
}

async function oldImage(guest: Guest): Promise<void> {
  const failed = await guest.until("the undoing has ended", 120, () => {
    const { trial } = updates.releaseJournal().slots.binary;
    return trial === null && updates.releaseJournal().history.at(-1);
  });
  guest.check("the bad image has failed", failed.version === "1.2.0" && failed.outcome === "failed", failed);
  const isBack = failed.restored_healthy === true && (await updates.productSays()) === "1.1.0";
  guest.check("the one before is healthy again, and runs", isBack, failed);
  await guest.stewardAnswers();
  const before = written();
  const id = await updates.offered(guest, "binary", "1.3.0");
  await updates.applied(guest, "binary");
  const refused = await updates.outcomeOf(guest, id, 60);
  const isForIt = refused.outcome === "failed" && /signature/.test(refused.detail);
  guest.check("a bundle of another has failed, for what RAUC says of it", isForIt, refused);
  guest.check("and no slot was written", written() === before, [before, written()]);
}

/** RAUC's notes about its slots: it is asked itself only while nothing is being shut down. */
const slots = (): string => readFileSync("/var/lib/rauc.status", "utf8");

/** The same without the times at which the way back has had a slot marked active: it does so again, and writes nothing. */
const written = (): string => slots().replaceAll(/^activated\..*\n/gm, "");

/** Waits until the hooks have asked for a reboot, which ends this boot. */
async function rebooting(guest: Guest): Promise<void> {
  // On a fast machine the manager is gone before it is asked again: systemd-shutdown tells each process, and waits for it.
  let isEnding = false;
  process.once("SIGTERM", () => {
    isEnding = true;
  });
  await guest.until("a reboot is asked for", 120, async () => {
    if (isEnding) return true;
    const { stdout } = await guest.run("systemctl", ["is-system-running"]);
    if (stdout.trim() === "stopping") return true;
    throw new Error(`${stdout}${JSON.stringify(updates.releaseJournal().slots.binary.trial?.health)}`);
  });
}
