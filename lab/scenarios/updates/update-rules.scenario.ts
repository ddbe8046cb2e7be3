import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles, rules } from "./demo-product.ts";
import {
  applied,
  offered,
  outcomeOf,
  publishing,
  runs,
  trusting,
  updateScenario,
  updateSettings,
} from "./update-scenario.ts";

/** Rules come by themselves and are reloaded; those that the product cannot live with are undone. */
export const scenario: TieredScenario = {
  title: "rules over HTTP are applied by themselves, and undone by themselves",
  tiers: { container: {} },
  timeoutSeconds: 600,
  ...updateScenario("demo"),
  files: {
    ...updateSettings({ enabled: true }),
    ...productFiles({ successes: 3, interval: "1s", within: "20s" }),
  },
  asks: publishing(
    binary("1.0.0"),
    rules("1.0.0"),
    rules("1.1.0", "broken"),
    rules("1.2.0"),
    { ...rules("1.3.0"), options: ["--channel", "beta"] },
    { ...rules("1.4.0"), options: ["--min-agent", "99.0.0"] },
  ),
  boots: [{ run: applying }],
};

async function applying(guest: Guest): Promise<void> {
  await trusting(guest);
  const product = await offered(guest, "binary", "1.0.0");
  await applied(guest, "binary");
  const started = await outcomeOf(guest, product, 120);
  guest.check("the product's binary is good", started.outcome === "good", started);
  const process = await mainProcess(guest);
  for (const version of ["1.0.0", "1.2.0"]) {
    if (version === "1.2.0") await broken(guest);
    const id = await offered(guest, "rules", version);
    const entry = await outcomeOf(guest, id, 120);
    guest.check(`rules ${version} are good`, entry.outcome === "good", entry);
    guest.figure("from their beginning to good", Math.round(entry.seconds), "s");
    await runs(guest, "rules", { id, version });
  }
  const after = await mainProcess(guest);
  guest.check("the product was never restarted for rules", process === after && after !== "0", [
    process,
    after,
  ]);
  await comesNot(guest);
}

/** Puzzle: an update does not come. One command has the answer. */
async function comesNot(guest: Guest): Promise<void> {
  for (const version of ["1.3.0", "1.4.0"]) await guest.ask(`publish rules ${version}`);
  const said = await check(guest);
  const text = said.stdout + said.stderr;
  guest.check("where there is nothing newer, the check ends with 0", said.status === 0, said);
  guest.check("it names the release of another channel", /1\.3\.0.*beta/.test(text), said);
  guest.check("and the one that needs a newer Steward", /1\.4\.0.*99\.0\.0/.test(text), said);
  guest.note(text.trim().replaceAll("\n", " | "));
}

/** `steward update check`, which a check less than ten seconds ago has refused (7). */
function check(guest: Guest): Promise<Ran> {
  return guest.until("a check is allowed", 60, async () => {
    const ran = await guest.run("steward", ["update", "check"], { timeoutSeconds: 120 });
    return ran.status === 7 ? undefined : ran;
  });
}

async function broken(guest: Guest): Promise<void> {
  const { id } = (await guest.ask("publish rules 1.1.0")) as { id: string };
  const checked = await check(guest);
  guest.check("a check whose own apply is undone ends with 1", checked.status === 1, checked);
  const entry = await outcomeOf(guest, id, 120);
  guest.check("rules that the product cannot live with have failed", entry.outcome === "failed", entry);
  guest.check("and those before are well again", entry.restored_healthy === true, entry);
  guest.note(entry.detail);
}

const mainProcess = (guest: Guest): Promise<string> => guest.property("MainPID", "demo-product.service");
