import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "./demo-product.ts";
import * as updates from "./update-scenario.ts";

const units = ["steward.service", "demo-product.service"];

/** So long that no deadline comes before the power goes. */
const patience = { successes: 3, interval: "1s", within: "150s" };

/** Three boots end before a release has proved healthy: it has not failed, but this was no time for it. */
export const scenario: TieredScenario = {
  title: "three boots without health put a release off, and the one before is back at once",
  tiers: { vm: {} },
  timeoutSeconds: 600,
  keepsDisk: true,
  ...updates.updateScenario("demo"),
  files: { ...updates.updateSettings(), ...productFiles(patience) },
  asks: updates.publishing(binary("1.0.0"), binary("1.1.0", "unhealthy")),
  boots: [
    { units, powerCut: true, run: first },
    ...[2, 3].map((boots): Boot => ({ units, powerCut: true, run: (guest) => again(guest, boots) })),
    { units, run: last },
  ],
};

async function first(guest: Guest): Promise<void> {
  await updates.trusting(guest);
  await updates.ends(guest, "binary", "1.0.0", "good");
  await updates.offered(guest, "binary", "1.1.0");
  await updates.applied(guest, "binary");
  await looking(guest);
  guest.check(
    "the new one is on trial in its first boot",
    updates.releaseJournal().slots.binary.trial?.boots === 1,
  );
}

async function again(guest: Guest, boots: number): Promise<void> {
  await guest.stewardAnswers(90);
  const isAgain = () => updates.releaseJournal().slots.binary.trial?.boots === boots;
  await guest.until(`confirmation begins again, in boot ${boots}`, 60, isAgain);
  await looking(guest);
  const { trial } = updates.releaseJournal().slots.binary;
  guest.check("with a deadline of this boot", trial?.deadline_uptime !== null, trial);
}

async function last(guest: Guest): Promise<void> {
  await guest.until(
    "this boot is counted",
    60,
    () => updates.releaseJournal().slots.binary.trial?.undo ?? false,
  );
  const { good, trial } = updates.releaseJournal().slots.binary;
  guest.check("it is being undone for its boots", trial?.undo?.outcome === "deferred", trial);
  await guest.becomes("systemctl is-active demo-product", 60);
  const counted = await at(guest, "ExecMainExit", "steward-guard-boot");
  const started = await at(guest, "ExecMainStart", "demo-product");
  const isFirst = counted > 0 && counted <= started;
  guest.check("decided before anything of the product was started", isFirst, { counted, started });
  guest.check("the one before is current already", updates.linked("binary", "current") === good.at(-1)?.id);
  const { release } = trial ?? { release: { id: "" } };
  const entry = await updates.outcomeOf(guest, release.id, 120);
  guest.check("it is put off, and has not failed", entry.outcome === "deferred", entry);
  const isWell = entry.restored_healthy === true && (await updates.productSays()) === "1.0.0";
  guest.check("the one before is well, and answers", isWell, entry);
  const { setAside } = updates.releaseJournal().slots.binary;
  const until = Date.parse(setAside.find(({ id }) => id === release.id)?.until ?? "");
  const hours = (until - Date.now()) / 3_600_000;
  guest.check("it may be tried again a day later", hours > 23.5 && hours <= 24, setAside);
}

/** When something of a unit was, in microseconds of monotonic time; 0: never. */
async function at(guest: Guest, what: string, unit: string): Promise<number> {
  return Number(await guest.property(`${what}TimestampMonotonic`, `${unit}.service`));
}

function looking(guest: Guest): Promise<true> {
  return guest.until("its health was looked at", 90, () => {
    const { trial } = updates.releaseJournal().slots.binary;
    if (trial?.phase === "confirming" && trial.health.last !== null) return true;
    throw new Error(JSON.stringify(trial));
  });
}
