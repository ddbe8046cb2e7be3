import { StewardError } from "../contract/errors.ts";
import { maximumSteps, maximumWaveSeconds } from "../releases/release-format.ts";
import { readJson } from "./files.ts";

/** Which share of the devices may install a release how long after its start. */
export interface Waves {
  /** RFC 3339, whole seconds, UTC. */
  readonly start: string;
  /** Rising; the last one is 100 percent. */
  readonly steps: readonly WaveStep[];
}

export interface WaveStep {
  /** 1 to 100. */
  readonly percent: number;
  readonly after_seconds: number;
}

const hour = 3_600;
const day = 24 * hour;

/** Bottlerocket's default schedule: one in a hundred first, all after a week. */
export const usualSteps: readonly WaveStep[] = [
  { percent: 1, after_seconds: 4 * hour },
  { percent: 5, after_seconds: day },
  { percent: 15, after_seconds: 2 * day },
  { percent: 40, after_seconds: 4 * day },
  { percent: 60, after_seconds: 5 * day },
  { percent: 90, after_seconds: 6 * day },
  { percent: 100, after_seconds: 7 * day },
];

/** The steps in a JSON file: `[{"percent": 10, "after_seconds": 3600}, …]`, or those in its member `steps`. */
export async function readSteps(file: string): Promise<readonly WaveStep[]> {
  const value = await readJson(file);
  const steps = typeof value === "object" && value !== null && "steps" in value ? value.steps : value;
  if (!Array.isArray(steps)) throw invalid(file, "it holds no list of steps");
  return checkSteps(steps, file);
}

function checkSteps(values: readonly unknown[], file: string): readonly WaveStep[] {
  const steps = values.map((value) => stepOf(value, file));
  if (steps.length === 0 || steps.length > maximumSteps)
    throw invalid(file, `it has ${steps.length} steps, not 1 to ${maximumSteps}`);
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    if (before && (step.percent <= before.percent || step.after_seconds <= before.after_seconds)) {
      throw invalid(file, `step ${index + 1} must have higher figures than step ${index}`);
    }
  }
  if (steps.at(-1)?.percent !== 100)
    throw invalid(file, "its last step is not 100 percent, so that some devices would never get the release");
  return steps;
}

function stepOf(value: unknown, file: string): WaveStep {
  const { percent, after_seconds } = (value ?? {}) as Partial<WaveStep>;
  if (!isWhole(percent, 1, 100)) throw invalid(file, "percent is a whole number from 1 to 100");
  if (!isWhole(after_seconds, 0, maximumWaveSeconds))
    throw invalid(file, `after_seconds is a whole number from 0 to ${maximumWaveSeconds}`);
  return { percent, after_seconds };
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}

function invalid(file: string, why: string): StewardError {
  return new StewardError(
    "validation_failed",
    `The waves in ${file} cannot be used: ${why}. Write a list such as [{"percent": 10, "after_seconds": 3600}, {"percent": 100, "after_seconds": 86400}]. Nothing was changed.`,
  );
}
