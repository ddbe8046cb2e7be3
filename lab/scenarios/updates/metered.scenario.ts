import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { NewRelease } from "../../machines/host/publisher.ts";
import { ltsRuntime } from "../../machines/image.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { stewardRelease } from "./steward-release.ts";
import {
  applied,
  outcomeOf,
  publishing,
  trusting,
  updateScenario,
  updateSettings,
} from "./update-scenario.ts";

/** A month of a device as it is delivered: a check every six hours, a release a week. */
const month = { checks: 4 * 30, releases: 4, allowance: 1e9 };

/** Checks whose mean is taken. */
const repeats = 3;

/** The publisher's side of docs/updates/publish.md, "Patches, for devices on a metered line". */
export const scenario: TieredScenario = {
  title: "a month of checks, reports and releases of Steward itself fits well into a metered line of 1 GB",
  tiers: { container: {} },
  timeoutSeconds: 1_200,
  ...updateScenario("steward"),
  repository: { port: 8_480, product: "steward", hasLtsRuntime: true },
  prepare: async () => void ltsRuntime(),
  files: updateSettings({ report: true }),
  asks: publishing(stewardRelease("0.2.0"), patchedRelease("0.3.0"), patchedRelease("0.4.0")),
  boots: [{ run: metered }],
};

function patchedRelease(version: string): NewRelease {
  return { ...stewardRelease(version), options: ["--patch-from", "2"] };
}

async function metered(guest: Guest): Promise<void> {
  await trusting(guest);
  const time = await timeOfMonth(guest);
  const whole = await release(guest, "0.2.0");
  const check = await nothingNew(guest);
  // A device keeps the former payload only while patches are on offer, so that the first patch finds none.
  const first = await release(guest, "0.3.0");
  guest.check("the first release with a patch is fetched whole", first > whole / 2, { first, whole });
  const patched = await release(guest, "0.4.0");
  guest.figure("a check that finds nothing, with its report", check, "bytes on the wire");
  guest.figure("a release of Steward, whole", whole, "bytes on the wire");
  guest.figure("the next one, by its patch", patched, "bytes on the wire");
  guest.check("the patch is less than a quarter of the whole", patched < whole / 4, { patched, whole });
  const checks = month.checks * check;
  const byPatch = checks + month.releases * patched + time;
  const byWhole = checks + month.releases * whole + time;
  guest.figure("a month's checks", Math.round(checks / 1e3), "kB");
  guest.figure("a month's time, three servers", Math.round(time / 1e3), "kB");
  guest.figure("a month by patches", round(byPatch), "MB");
  guest.figure("a month by whole releases", round(byWhole), "MB");
  guest.check("a month by patches takes less than 5 % of 1 GB", byPatch < month.allowance / 20, byPatch);
  guest.check("a month by whole releases takes less than 10 %", byWhole < month.allowance / 10, byWhole);
}

const round = (bytes: number) => Math.round(bytes / 1e4) / 100;

/** Frames of the container's network card, with all their headers, both ways. */
function wireBytes(): number {
  const count = (name: string) =>
    Number(readFileSync(`/sys/class/net/eth0/statistics/${name}_bytes`, "utf8"));
  return count("rx") + count("tx");
}

/** One exchange with each server costs so much; at the longest interval, 1024 s, a month has so many. */
async function timeOfMonth(guest: Guest): Promise<number> {
  const before = wireBytes();
  const ran = await guest.steward("time", "sync");
  guest.check("steward time sync", ran.status === 0, ran);
  return ((wireBytes() - before) * 30 * 86_400) / 1_024;
}

/** A check by hand, which is what a check by schedule is; the mean of some. */
async function nothingNew(guest: Guest): Promise<number> {
  let bytes = 0;
  for (let time = 0; time < repeats; time += 1) {
    await guest.pause(11);
    const before = wireBytes();
    const ran = await guest.steward("update", "check");
    bytes += wireBytes() - before;
    guest.check("a check finds nothing new", ran.status === 0, ran);
  }
  return Math.round(bytes / repeats);
}

/** Publishes it, and has the device find, fetch and apply it; the bytes of that. */
async function release(guest: Guest, version: string): Promise<number> {
  const { id } = (await guest.ask(`publish binary ${version}`)) as { id: string };
  await guest.pause(11);
  const before = wireBytes();
  const ran = await guest.steward("update", "check");
  guest.check(`${version} is found`, ran.stdout.includes(version), ran);
  await applied(guest, "binary");
  const { outcome, detail } = await outcomeOf(guest, id, 300);
  const bytes = wireBytes() - before;
  guest.check(`Steward ${version} is good`, outcome === "good", detail);
  await guest.stewardAnswers(90);
  return bytes;
}
