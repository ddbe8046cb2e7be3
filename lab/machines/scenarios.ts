import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { inTier, type Scenario, type TieredScenario, type TierName } from "./scenario.ts";

const folder = join(import.meta.dirname, "../scenarios");
const ending = ".scenario.ts";

/** The files of the scenarios by their names. */
export function scenarioFiles(): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(ending),
  );
  return new Map(files.sort().map((path) => [basename(path, ending), join(folder, path)]));
}

/** The scenario of a file as it runs in this tier; undefined: it does not. */
export async function loadScenario(file: string, tier: TierName): Promise<Scenario | undefined> {
  const { scenario } = (await import(file)) as { scenario: TieredScenario };
  return inTier(scenario, tier);
}

/** The scenarios of a tier by their names. */
export async function scenariosOf(tier: TierName): Promise<ReadonlyMap<string, Scenario>> {
  const found = new Map<string, Scenario>();
  for (const [name, file] of scenarioFiles()) {
    const scenario = await loadScenario(file, tier);
    if (scenario) found.set(name, scenario);
  }
  return found;
}
