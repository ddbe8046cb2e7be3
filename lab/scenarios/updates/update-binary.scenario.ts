import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Scenario, TieredScenario } from "../../machines/scenario.ts";
import { type Behaviour, binary, productFiles } from "./demo-product.ts";
import {
  applied,
  newestOutcome,
  offered,
  outcomeOf,
  productSays,
  publishing,
  releaseJournal,
  runs,
  trusting,
  updateScenario,
  updateSettings,
} from "./update-scenario.ts";

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
  files: { ...updateSettings(), ...productFiles({ successes: 8, interval: "1s", within: `${seconds}s` }) },
  boots: [{ run: (guest) => applying(guest, seconds) }],
});

/** A binary by hand, bad ones that are undone, and a good one that is applied unattended. */
export const scenario: TieredScenario = {
  title: "binaries over HTTP: good ones stay, and bad ones are undone",
  // Under emulation a health check takes seconds, and so do eight in a row.
  tiers: { container: {}, vm: within(90) },
  timeoutSeconds: 1_800,
  ...updateScenario("demo"),
  asks: publishing(
    binary("1.0.0"),
    ...bad.map(([version, behaviour]) => binary(version, behaviour)),
    binary("1.5.0"),
  ),
  ...within(25),
};

async function applying(guest: Guest, withinSeconds: number): Promise<void> {
  await trusting(guest);
  const first = { id: await offered(guest, "binary", "1.0.0"), version: "1.0.0" };
  await applied(guest, "binary");
  const { outcome, seconds } = await outcomeOf(guest, first.id, 180);
  guest.check("the first binary proves healthy", outcome === "good", newestOutcome(first.id));
  guest.figure("from its beginning to good", Math.round(seconds), "s");
  await runs(guest, "binary", first);
  await allowUnattended(guest);
  for (const [version, behaviour] of bad) await undone(guest, { version, behaviour, withinSeconds }, first);
  await goodOne(guest);
}

async function allowUnattended(guest: Guest): Promise<void> {
  const set = await guest.steward(
    "system",
    "set",
    "update.ota.auto_update_binary=true",
    "update.ota.enabled=true",
  );
  guest.check("the trust rule allows unattended binaries", set.status === 0, set);
}

async function undone(
  guest: Guest,
  { version, behaviour, withinSeconds }: { version: string; behaviour: Behaviour; withinSeconds: number },
  before: { id: string; version: string },
): Promise<void> {
  const id = await offered(guest, "binary", version);
  const entry = await outcomeOf(guest, id, 300);
  guest.check(`a release that ${behaviour} failed`, entry.outcome === "failed", entry);
  guest.check("and the release before is healthy again", entry.restored_healthy === true, entry);
  guest.check("and there is something to read about it", entry.log.length > 0, entry);
  guest.note(`${version}, which ${behaviour}: ${entry.detail}`);
  guest.figure("from its beginning to the end of its undoing", Math.round(entry.seconds), "s");
  // Until the deadline, and back until the release before is healthy, by its own deadline at the latest.
  const mostSeconds = 2 * withinSeconds + besides;
  guest.check("within its deadline and the way back", entry.seconds < mostSeconds, entry.seconds);
  await runs(guest, "binary", before);
  const count = releaseJournal().history.length;
  await guest.api("/api/updates/check", {});
  await guest.pause(5);
  const { slots, history } = releaseJournal();
  guest.check(
    "it is not applied unattended again",
    history.length === count &&
      slots.binary.trial === null &&
      slots.binary.setAside.some((one) => one.id === id),
    slots,
  );
}

/** Neither an operator's restart of the product nor one of the agent makes anything fail. */
async function goodOne(guest: Guest): Promise<void> {
  const version = "1.5.0";
  const id = await offered(guest, "binary", version);
  await guest.until(
    "it is being confirmed",
    90,
    () => releaseJournal().slots.binary.trial?.phase === "confirming",
  );
  const guard = () => guest.property("InvocationID", "steward-guard.service");
  const before = await guard();
  await guest.until("it answers", 30, async () => (await productSays()) === version);
  await guest.run("systemctl", ["restart", "demo-product.service"]);
  await guest.run("systemctl", ["restart", "steward.service"]);
  const stays = (await guard()) === before && before !== "";
  guest.check("the guard goes on when the agent is restarted", stays, before);
  const entry = await outcomeOf(guest, id, 180);
  guest.check("a restart by an operator is no failure", entry.outcome === "good", entry);
  await runs(guest, "binary", { id, version });
}
