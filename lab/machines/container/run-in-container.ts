/** run-in-container.ts NAME IMAGE-FOLDER CHRONY-FOLDER DIRECTORY: one scenario in a container, started by main.ts. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { layOut } from "../payload.ts";
import { runScenario } from "../run-scenario.ts";
import type { Scenario } from "../scenario.ts";
import { filesOfContainer, startContainer } from "./container.ts";

const [name = "", imageFolder = "", chrony = "", directory = ""] = process.argv.slice(2);
const module = join(import.meta.dirname, "scenarios", `${name}.ts`);
const { scenario } = (await import(module)) as { scenario: Scenario };
const payload = "/run/payload";
mkdirSync(payload);
await layOut(module, { ...scenario, files: { ...filesOfContainer, ...scenario.files } }, payload);
const image = join(imageFolder, "tree");
await runScenario({
  name,
  scenario,
  directory,
  chrony,
  start: (index) => startContainer({ image, payload, directory, scenario, index }),
  quietBootSeconds: 3,
});
