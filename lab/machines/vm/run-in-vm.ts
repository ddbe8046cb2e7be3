/** run-in-vm.ts NAME IMAGE-FOLDER CHRONY-FOLDER DIRECTORY: one scenario in the virtual machine, started by main.ts. */
import { join } from "node:path";
import { imageIn } from "../image.ts";
import { makePayload } from "../payload.ts";
import { runScenario } from "../run-scenario.ts";
import type { Scenario } from "../scenario.ts";
import { startMachine } from "./machine.ts";

const [name = "", imageFolder = "", chrony = "", directory = ""] = process.argv.slice(2);
const module = join(import.meta.dirname, "scenarios", `${name}.ts`);
const { scenario } = (await import(module)) as { scenario: Scenario };
const payload = await makePayload(module, scenario, directory);
const image = imageIn(imageFolder);
await runScenario({
  name,
  scenario,
  directory,
  chrony,
  start: (index) => startMachine({ image, payload, directory, scenario, index }),
  // Emulated, with a network card.
  quietBootSeconds: 20,
});
