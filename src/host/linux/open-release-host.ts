import { setTimeout as delay } from "node:timers/promises";
import type { RunCommand } from "../ports.ts";
import type { ReleaseHost } from "../release-ports.ts";
import { openIdentity } from "./identity.ts";
import { createHealthCheck } from "./releases/health-check.ts";
import { createRunForRelease } from "./releases/release-programs.ts";
import { createSelfTest } from "./releases/self-test.ts";
import { createActivation } from "./systemd/activation.ts";
import { createProductUnit, type ProductProgram } from "./systemd/product-unit.ts";
import { createUnits } from "./systemd/units.ts";
import { createUptime } from "./uptime.ts";

/**
 * The Linux host as the installer changes it, without the files of releases and their unpacking, which are the
 * installer's own. Apart from `openHost`, so that the installer's program holds nothing of clocks and networks.
 */
export function openReleaseHost(
  run: RunCommand,
  /** False: no unit is restarted or watched, as in a trial run. */
  isUnderSystemd: boolean,
  isRoot: boolean,
): Omit<ReleaseHost, "files" | "unpack"> {
  const beside = createRunForRelease();
  const programs = isUnderSystemd ? createProductUnit(run, beside) : (_what: ProductProgram) => beside;
  const units = isUnderSystemd ? createUnits(run) : null;
  return {
    units,
    uptime: createUptime(),
    bootId: openIdentity().identity.bootId,
    now: () => new Date(),
    pause: (seconds) => delay(seconds * 1_000),
    activate: createActivation({ units, run: programs("activate") }),
    askHealth: createHealthCheck({ units, run: programs("health") }),
    selfTest: createSelfTest(run, isRoot),
  };
}
