import { dirname, join } from "node:path";
import { failuresIn, failureTrouble } from "../../system/program-parts.ts";
import { type DoctorContext, outputOf } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, failing, unseen } = entriesOf("program");

/** Milliseconds for the trial of the parts, on a device at its slowest. */
const trialMilliseconds = 30_000;

/** Each part of the program against a known answer. The launcher has asked the runtime for its version. */
export async function lookAtProgram({ program, host }: DoctorContext): Promise<Entry[]> {
  const { version, nodeVersion, node, selfCheck } = program;
  const began = performance.now();
  const { status, stdout } = await host.run(node, [selfCheck], { timeoutMilliseconds: trialMilliseconds });
  // A device that is busy beyond measure is no broken program; one that crashes ends earlier.
  if (status === null && performance.now() - began >= trialMilliseconds)
    return [unseen("trial_too_slow", "The trial of its parts did not end in time: the device is busy.")];
  const failures = failuresIn(stdout, `the trial ended early (status ${status})`);
  return failures.length > 0
    ? [entryOf(failureTrouble(failures))]
    : [ok("program_works", `steward ${version} on Node ${nodeVersion}; each part works.`)];
}

/** Says where somebody else has the name of a user or group of Steward's: an earlier version may have taken it for its own. */
export async function lookAtAccounts(context: DoctorContext): Promise<Entry[]> {
  const script = join(dirname(context.program.selfCheck), "accounts.sh");
  const text = await outputOf(context, "/bin/sh", [script, context.root]);
  if (text === null) throw new Error(`${script} failed.`);
  const [found = "", line] = text.split("\n");
  return found === "" ? [] : [failing("account_foreign", found, line)];
}
