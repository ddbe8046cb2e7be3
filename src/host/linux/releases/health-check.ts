import { messageOf } from "../../../contract/errors.ts";
import { printableLine } from "../../printable-text.ts";
import type { ApplyPlan, HealthAnswer, HttpCheck, ReleaseAtWork, ReleaseHost } from "../../release-ports.ts";
import type { LinuxUnits } from "../systemd/units.ts";
import { askHttp } from "./http-check.ts";
import type { RunForRelease } from "./release-programs.ts";

export interface HealthCheckOptions {
  /** null: without systemd, as in a trial run. */
  readonly units: Pick<LinuxUnits, "state"> | null;
  readonly run: RunForRelease;
  /** Milliseconds; by default 5 s for an answer over HTTP, and 9.5 s for the command. */
  readonly patience?: { readonly httpMilliseconds: number; readonly commandMilliseconds: number };
}

/** Including the time to end a command, no health check takes longer than 10 s. */
const usualPatience = { httpMilliseconds: 5_000, commandMilliseconds: 9_500 };

/** Characters of the words for people. */
const mostWords = 300;

/** Checks a release: its unit, every address and the command at once. It is healthy if all of them say so. */
export function createHealthCheck(options: HealthCheckOptions): ReleaseHost["askHealth"] {
  return async (plan: ApplyPlan, release: ReleaseAtWork) => {
    const answers = await Promise.all(
      checksOf(options, plan, release).map((check) =>
        check().catch((error: unknown) => unwell(messageOf(error))),
      ),
    );
    if (answers.length === 0) return unwell("no health check is configured");
    const bad = answers.filter(({ isHealthy }) => !isHealthy);
    const told = bad.length > 0 ? bad : answers;
    return {
      isHealthy: bad.length === 0,
      words: printableLine(told.map(({ words }) => words).join("; "), mostWords),
    };
  };
}

function checksOf(
  options: HealthCheckOptions,
  { unit, health }: ApplyPlan,
  release: ReleaseAtWork,
): (() => Promise<HealthAnswer>)[] {
  const { httpMilliseconds } = options.patience ?? usualPatience;
  const { command, http } = health;
  return [
    ...(unit === null ? [] : [() => askUnit(options, unit)]),
    ...http.map((check: HttpCheck) => () => {
      // The version of the state before any release is unknown.
      if (release.version === null) return askHttp({ ...check, versionMember: null }, "", httpMilliseconds);
      return askHttp(check, release.version, httpMilliseconds);
    }),
    ...(command === null ? [] : [() => askCommand(options, command, release)]),
  ];
}

async function askUnit({ units }: HealthCheckOptions, unit: string): Promise<HealthAnswer> {
  if (units === null) return unwell(`${unit} cannot be checked without systemd`);
  const { isActive, words } = await units.state(unit);
  return isActive ? well(`${unit} is active`) : unwell(`${unit} is not active (${words})`);
}

async function askCommand(
  { run, patience = usualPatience }: HealthCheckOptions,
  command: readonly string[],
  release: ReleaseAtWork,
): Promise<HealthAnswer> {
  const name = command[0] ?? "";
  const timeoutMilliseconds = patience.commandMilliseconds;
  const { status, isTooSlow, said } = await run(command, release, { timeoutMilliseconds });
  if (status === 0) return well(`${name} ended with status 0`);
  const words = said === "" ? "" : `: ${said}`;
  if (isTooSlow) return unwell(`${name} took longer than ${timeoutMilliseconds / 1_000} s${words}`);
  return unwell(`${name} ${status === null ? "was killed" : `ended with status ${status}`}${words}`);
}

function well(words: string): HealthAnswer {
  return { isHealthy: true, words };
}

function unwell(words: string): HealthAnswer {
  return { isHealthy: false, words };
}
