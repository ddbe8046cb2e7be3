import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Scenario, TieredScenario } from "../../machines/scenario.ts";
import { type Behaviour, binary, productFiles } from "./demo-product.ts";
import * as updates from "./update-scenario.ts";

/** Seconds that the installer may take besides: starting, switching, checking, beside other machines. */
const besides = 40;

const bad: readonly (readonly [version: string, behaviour: Behaviour])[] = [
  ["1.1.0", "unhealthy"],
  ["1.2.0", "exits"],
  ["1.3.0", "hangs"],
  ["1.4.0", "dies after 5 s"],
];

/** So many seconds for a release to become healthy. Eight answers: one that dies after 5 s must never become healthy. */
const within = (seconds: number): Pick<Scenario, "files" | "boots"> => ({
  files: {
    ...updates.updateSettings(),
    ...productFiles({ successes: 8, interval: "1s", within: `${seconds}s` }),
  },
  boots: [{ run: (guest) => applying(guest, seconds) }],
});

/** A binary by hand, bad ones that are undone, and a good one that is applied unattended. */
export const scenario: TieredScenario = {
  title: "binaries over HTTP: good ones stay, and bad ones are undone",
  // Under emulation a health check takes seconds, and so do eight in a row.
  tiers: { container: {}, vm: within(90) },
  timeoutSeconds: 1_800,
  ...updates.updateScenario("demo"),
  asks: updates.publishing(
    binary("1.0.0"),
    ...bad.map(([version, behaviour]) => binary(version, behaviour)),
    binary("1.5.0"),
  ),
  ...within(25),
};

async function applying(guest: Guest, withinSeconds: number): Promise<void> {
  await updates.trusting(guest);
  const { id } = await updates.ends(guest, "binary", "1.0.0", "good");
  const first = { id, version: "1.0.0" };
  await updates.runs(guest, first);
  await guest.types("steward system set update.ota.auto_update_binary=true update.ota.enabled=true");
  for (const [version, behaviour] of bad) {
    const seconds = await undone(guest, version, behaviour);
    // Until the deadline, and back until the release before is healthy, by its own deadline at the latest.
    guest.check("within its deadline and the way back", seconds < 2 * withinSeconds + besides, seconds);
    await updates.runs(guest, first);
  }
  await goodOne(guest);
}

/** It failed, the one before is healthy again, and it is not applied unattended a second time. */
async function undone(guest: Guest, version: string, behaviour: Behaviour): Promise<number> {
  const id = await updates.offered(guest, "binary", version);
  const entry = await updates.outcomeOf(guest, id, 300);
  const isUndone = entry.outcome === "failed" && entry.restored_healthy === true && entry.log.length > 0;
  guest.check(`a release that ${behaviour} failed, and the one before is healthy again`, isUndone, entry);
  guest.note(`${version}, which ${behaviour}: ${entry.detail}`);
  const count = updates.releaseJournal().history.length;
  await guest.api("/api/updates/check", {});
  await guest.pause(5);
  const { slots, history } = updates.releaseJournal();
  const { trial, setAside } = slots.binary;
  const isLeft = history.length === count && trial === null && setAside.some((one) => one.id === id);
  guest.check("it is not applied unattended again", isLeft, slots);
  return entry.seconds;
}

/** Neither an operator's restart of the product nor one of the agent makes anything fail. */
async function goodOne(guest: Guest): Promise<void> {
  const version = "1.5.0";
  const id = await updates.offered(guest, "binary", version);
  await updates.confirming(guest, version);
  const guard = () => guest.property("InvocationID", "steward-guard.service");
  const before = await guard();
  await guest.until("it answers", 30, async () => (await updates.productSays()) === version);
  await guest.types("systemctl restart demo-product; systemctl restart steward");
  const stays = (await guard()) === before && before !== "";
  guest.check("the guard goes on when the agent is restarted", stays, before);
  const entry = await updates.outcomeOf(guest, id, 180);
  guest.check("a restart by an operator is no failure", entry.outcome === "good", entry);
  await updates.runs(guest, { id, version });
}
