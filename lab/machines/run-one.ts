/** run-one.ts TIER NAME IMAGE-FOLDER CHRONY-FOLDER DIRECTORY: one scenario in its machine, started by main.ts. */
import { runScenario } from "./run-scenario.ts";
import type { TierName } from "./scenario.ts";
import { loadScenario, scenarioFiles } from "./scenarios.ts";
import { tiers } from "./tiers.ts";

const [tierName, name = "", image = "", chrony = "", directory = ""] = process.argv.slice(2) as [TierName];
const tier = tiers[tierName];
const module = scenarioFiles().get(name) ?? "";
const scenario = await loadScenario(module, tierName);
if (!scenario) throw new Error(`${name} does not run in this tier`);
const start = await tier.prepare({ module, scenario, image, directory });
await runScenario({ name, scenario, directory, chrony, start, quietBootSeconds: tier.quietBootSeconds });
