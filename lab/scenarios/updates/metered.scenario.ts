import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { NewRelease } from "../../machines/host/publisher.ts";
import { ltsRuntime } from "../../machines/image.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { stewardRelease } from "./steward-release.ts";
import * as updates from "./update-scenario.ts";

/** A month of a device as it is delivered: a check every six hours, a release a week. */
const month = { checks: 4 * 30, releases: 4, allowance: 1e9 };

/** Checks whose mean is taken. */
const repeats = 3;

/** The publisher's side of docs/updates/publish.md, "Patches, for devices on a metered line". */
export const scenario: TieredScenario = {
  title: "a month of checks, reports and releases of Steward itself fits well into a metered line of 1 GB",
  tiers: { container: {} },
  timeoutSeconds: 1_200,
  ...updates.updateScenario("steward"),
  repository: { port: 8_480, product: "steward", hasLtsRuntime: true },
  prepare: async () => void ltsRuntime(),
  files: updates.updateSettings({ report: true }),
  asks: updates.publishing(stewardRelease("0.2.0"), patchedRelease("0.3.0"), patchedRelease("0.4.0")),
  boots: [{ run: metered }],
};

function patchedRelease(version: string): NewRelease {
  return { ...stewardRelease(version), options: ["--patch-from", "2"] };
}

async function metered(guest: Guest): Promise<void> {
  await updates.trusting(guest);
  // One exchange with each of three servers; at the longest interval, 1024 s, a month has so many.
  const time = (await bytesOf(guest, "steward time sync")) * ((30 * 86_400) / 1_024);
  const whole = await release(guest, "0.2.0");
  let check = 0;
  for (let turn = 0; turn < repeats; turn += 1)
    check += (await bytesOf(guest, "sleep 11; steward update check")) / repeats;
  // A device keeps the former payload only while patches are on offer, so that the first patch finds none.
  const first = await release(guest, "0.3.0");
  guest.check("the first release with a patch is fetched whole", first > whole / 2, { first, whole });
  const patched = await release(guest, "0.4.0");
  const monthOf = (bytes: number) => month.checks * check + month.releases * bytes + time;
  const figures = {
    "a check that finds nothing, with its report": check,
    "a release of Steward, whole": whole,
  };
  const more = { "the next one, by its patch": patched, "a month's checks": month.checks * check };
  const sums = { "a month by patches": monthOf(patched), "a month by whole releases": monthOf(whole) };
  for (const [name, bytes] of Object.entries({ ...figures, ...more, "a month's time": time, ...sums }))
    guest.figure(name, Math.round(bytes / 1e3), "kB on the wire");
  guest.check("the patch is less than a quarter of the whole", patched < whole / 4, { patched, whole });
  guest.check("a month by patches takes less than 5 %", monthOf(patched) < month.allowance / 20);
  guest.check("a month by whole releases takes less than 10 %", monthOf(whole) < month.allowance / 10);
}

/** Frames of the container's network card, with all their headers, both ways, while something is done. */
async function bytesOf(guest: Guest, line: string, act = async () => {}): Promise<number> {
  const count = (name: string) =>
    Number(readFileSync(`/sys/class/net/eth0/statistics/${name}_bytes`, "utf8"));
  const before = count("rx") + count("tx");
  await guest.types(line);
  await act();
  return count("rx") + count("tx") - before;
}

/** Publishes it, and has the device find, fetch and apply it; the bytes of that. */
async function release(guest: Guest, version: string): Promise<number> {
  const { id } = (await guest.ask(`publish binary ${version}`)) as { id: string };
  await guest.pause(11);
  const bytes = await bytesOf(guest, `steward update check | grep ${version}`, async () => {
    await updates.applied(guest, "binary");
    const { outcome, detail } = await updates.outcomeOf(guest, id, 300);
    guest.check(`Steward ${version} is good`, outcome === "good", detail);
  });
  await guest.stewardAnswers(90);
  return bytes;
}
