import { messageOf, systemErrorCode } from "../../../contract/errors.ts";
import { objectIn } from "../../../contract/text/json-of.ts";
import { readAnswer } from "../../answer-body.ts";
import type { Transfer } from "../../ports.ts";
import { printableLine } from "../../printable-text.ts";
import type { ApplyPlan, HealthAnswer, HttpCheck, ReleaseAtWork, ReleaseHost } from "../../release-ports.ts";
import { TransferFailure } from "../../transfer-failure.ts";
import type { LinuxUnits } from "../systemd/units.ts";
import { openTransfers } from "../transfers/open-transfers.ts";
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

/** Bytes of a body that holds a version. */
const mostBytes = 65_536;

const transfers = openTransfers({ allowLocalServers: true, redirects: null });

/** Checks an address of this device: the status, and `version` in the member that the check names. Never throws. */
async function askHttp(
  check: HttpCheck,
  version: string,
  timeoutMilliseconds: number,
): Promise<HealthAnswer> {
  const { url } = check;
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  // Longer than the signal, which ends it: a product may need all of that time.
  const seconds = timeoutMilliseconds / 1_000;
  const limits = { headSeconds: 2 * seconds, minimumBytesPerSecond: 0, rateWindowSeconds: 2 * seconds };
  let answer: Transfer | undefined;
  try {
    answer = await transfers.open(url, { headers: { accept: "*/*" }, limits, signal });
    const { isHealthy, words } = await judged(answer, check, version);
    return { isHealthy, words: `${url} ${words}` };
  } catch (error) {
    return { isHealthy: false, words: `${url} ${failureOf(error, signal.aborted ? seconds : null, answer)}` };
  } finally {
    answer?.close();
  }
}

async function judged(answer: Transfer, check: HttpCheck, version: string): Promise<HealthAnswer> {
  const { status, headers } = answer;
  if (status !== check.status) {
    const isProblem = /^application\/problem\+json\b/.test(headers["content-type"] ?? "");
    const detail = isProblem ? await memberOf(answer, "detail") : undefined;
    const reason = typeof detail === "string" ? `: ${printableLine(detail, mostReason)}` : "";
    return { isHealthy: false, words: `answered ${status} instead of ${check.status}${reason}` };
  }
  if (check.versionMember === null) return { isHealthy: true, words: `answered ${status}` };
  const found = await memberOf(answer, check.versionMember);
  if (found === version) return { isHealthy: true, words: `answered ${status}, version ${version}` };
  const words =
    found === undefined
      ? `answered without the member "${check.versionMember}"`
      : `says the version is ${printableLine(String(found), 40)}, and ${version} is expected`;
  return { isHealthy: false, words };
}

/** Characters kept of the reason that a problem document gives (RFC 9457). */
const mostReason = 200;

function failureOf(error: unknown, tooLateSeconds: number | null, answer: Transfer | undefined): string {
  if (tooLateSeconds !== null) return `did not answer within ${tooLateSeconds} s`;
  if (error instanceof TransferFailure && error.kind === "too_large") return "answered more than 64 KiB";
  if (answer !== undefined) return "broke off its answer";
  const cause = error instanceof TransferFailure ? (error.cause ?? error) : error;
  return `did not answer (${systemErrorCode(cause) ?? messageOf(cause)})`;
}

/** A member of a body in JSON; undefined: it has none. */
async function memberOf(answer: Transfer, member: string): Promise<unknown> {
  const text = (await readAnswer("the answer", answer, mostBytes)).toString("utf8");
  const members = objectIn(text) ?? {};
  return Object.hasOwn(members, member) ? members[member] : undefined;
}
