import { isName } from "./chronyc-report.ts";
import type { ExternalDaemonOptions } from "./external-daemon.ts";

/** By Network Time Security, by a symmetric key, or not at all. chronyd takes no other answer of a source that has one. */
export type Authentication = "nts" | "key" | "none";

/** The file in which steward-chrony@authdata.service leaves its answer. */
const usualFile = "/run/steward-chrony/authdata";

/** Milliseconds for the order and for the reading of the file; a unit is started in a tenth of a second. */
const patienceMilliseconds = 3_000;

/** Seconds for which an answer counts, and from one question to the next: a new source is not known before. */
const validSeconds = 900;
const restSeconds = 15;

const modes: ReadonlyMap<string, Authentication> = new Map([
  ["NTS", "nts"],
  ["SK", "key"],
  ["-", "none"],
]);

/** Fields of a line of `chronyc -c authdata`: name, mode, key, type, length, age, attempts, NAKs, cookies, their length. */
const fields = 10;

type AuthenticationOptions = Pick<ExternalDaemonOptions, "run" | "helper" | "timers"> & {
  readonly authdataFile?: string;
};

/**
 * Asks chronyd how it authenticates the sources with these names, of which nothing may be known. It says so only to root
 * and to its own user, so a unit of that user's writes it into a file. The answer is kept: it changes with chronyd's
 * configuration. Never rejects.
 */
export function createReadAuthentications(options: AuthenticationOptions) {
  const { timers } = options;
  let known: ReadonlyMap<string, Authentication> = new Map();
  let [isResting, forgetting] = [false, (): void => undefined];
  return async (names: readonly string[]) => {
    if (isResting || names.length === 0 || names.every((name) => known.has(name))) return known;
    isResting = true;
    timers.after(restSeconds, () => {
      isResting = false;
    });
    const found = await ask(options);
    if (found === null) return known;
    known = found;
    forgetting();
    forgetting = timers.after(validSeconds, () => {
      known = new Map();
    });
    return known;
  };
}

/** null: there was no answer, or it has an unknown format. */
async function ask({ run, helper, authdataFile = usualFile }: AuthenticationOptions) {
  const limits = { timeoutMilliseconds: patienceMilliseconds };
  try {
    await helper.ask({ word: "chrony", verb: "authdata" }, limits);
    // Another user's file: a program that reads it can be killed, should it be a fifo or endless.
    const { status, stdout } = await run("cat", [authdataFile], limits);
    return status === 0 ? parseAuthdata(stdout) : null;
  } catch {
    // The clock's report is worth more than this.
    return null;
  }
}

/** The output of `chronyc -c -n authdata`. null: a part of it has an unknown format, and then none of it is believed. */
export function parseAuthdata(output: string): ReadonlyMap<string, Authentication> | null {
  const found = new Map<string, Authentication>();
  for (const line of output.split("\n").filter((text) => text !== "")) {
    const [name = "", mode = "", ...rest] = line.split(",");
    const authentication = modes.get(mode);
    if (rest.length !== fields - 2 || !isName(name) || authentication === undefined) return null;
    found.set(name, authentication);
  }
  return found;
}
