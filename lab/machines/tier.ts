import type { ImageRecipe } from "./image.ts";
import type { Machine } from "./run-scenario.ts";
import type { MachineKind, Scenario } from "./scenario.ts";

/** The parts of one run of a scenario. */
export interface Place {
  /** The file of the scenario. */
  readonly module: string;
  readonly scenario: Scenario;
  /** The folder of the image that the scenario boots. */
  readonly image: string;
  /** The directory for its logs. */
  readonly directory: string;
}

/** A kind of machine that scenarios run in. */
export interface Tier {
  /** The make target, printed before each line. */
  readonly target: string;
  /** The message to a user who is not root, where the tier takes root. */
  readonly withoutRoot?: string;
  readonly image: (machine: MachineKind) => ImageRecipe;
  /** The folder below .cache for the logs of the scenarios. */
  readonly logs: string;
  /** The words before a command that give it namespaces of its own, with this directory for its logs. */
  readonly confined: (directory: string) => readonly string[];
  /** Removes the leftovers of a scenario. */
  readonly cleanUp?: (directory: string) => void;
  /** Seconds from the start of a machine to its guest part on a quiet host. */
  readonly quietBootSeconds: number;
  /** Makes the payload of a scenario, and returns how its boots are started. */
  readonly prepare: (place: Place) => Promise<(index: number) => Machine>;
}
