import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "./demo-product.ts";
import {
  applied,
  newestOutcome,
  offered,
  outcomeOf,
  publishing,
  releaseJournal,
  runs,
  trusting,
  updateScenario,
  updateSettings,
} from "./update-scenario.ts";

/** Root can end a trial when nothing else is alive, and an administrator can undo a release. */
export const scenario: TieredScenario = {
  title: "confirm and abort work with agent and guard dead; a rollback holds what it leaves",
  tiers: { container: {} },
  timeoutSeconds: 900,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 15, interval: "2s", within: "2m" }) },
  asks: publishing(binary("1.0.0"), binary("1.1.0"), binary("1.2.0")),
  boots: [{ run: ordering }],
};

async function ordering(guest: Guest): Promise<void> {
  await trusting(guest);
  const first = { id: await ordered(guest, "1.0.0", "confirm"), version: "1.0.0" };
  guest.check(
    "what root confirms is good",
    newestOutcome(first.id)?.outcome === "good",
    newestOutcome(first.id),
  );
  await runs(guest, "binary", first);
  const second = await ordered(guest, "1.1.0", "abort");
  const { setAside } = releaseJournal().slots.binary;
  guest.check(
    "what root aborts was aborted",
    newestOutcome(second)?.outcome === "aborted",
    newestOutcome(second),
  );
  guest.check("and is held", setAside.find(({ id }) => id === second)?.why === "held", setAside);
  await runs(guest, "binary", first);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers(90);
  await rollingBack(guest, first);
}

/** Applies it, ends agent and guard while it is being confirmed, and gives the order. */
async function ordered(guest: Guest, version: string, order: "confirm" | "abort"): Promise<string> {
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers(90);
  const id = await offered(guest, "binary", version);
  await applied(guest, "binary");
  await guest.until(
    `${version} is being confirmed`,
    90,
    () => releaseJournal().slots.binary.trial?.phase === "confirming",
  );
  await guest.run("systemctl", ["stop", "steward-guard.service", "steward.service"]);
  guest.check("it is still on trial, without a guard", releaseJournal().slots.binary.trial !== null);
  const ran = await guest.run("/usr/bin/steward", ["update", order, "binary", "--yes"], {
    timeoutSeconds: 180,
  });
  guest.check(`root can ${order} it`, ran.status === 0, ran);
  return id;
}

async function rollingBack(guest: Guest, former: { id: string; version: string }): Promise<void> {
  const present = await offered(guest, "binary", "1.2.0");
  await applied(guest, "binary");
  const entry = await outcomeOf(guest, present, 180);
  guest.check("the next release is good", entry.outcome === "good", entry);
  const back = await guest.run("/usr/bin/steward", ["update", "rollback", "binary", "--yes"], {
    timeoutSeconds: 240,
  });
  guest.check("an administrator can go back", back.status === 0, back);
  const after = await outcomeOf(guest, present, 180);
  guest.check("it was rolled back", after.outcome === "rolled_back", after);
  const { setAside } = releaseJournal().slots.binary;
  guest.check("and is held", setAside.find(({ id }) => id === present)?.why === "held", setAside);
  await runs(guest, "binary", former);
}
