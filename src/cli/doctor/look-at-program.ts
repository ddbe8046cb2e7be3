import { failuresIn, failureWords } from "../../system/program-parts.ts";
import { type Finding, findingsOf } from "./finding.ts";
import type { Ground } from "./ground.ts";

const { ok, failing, unseen } = findingsOf("program");

/** package.json, engines. */
const oldestRuntime = [20, 19];

/** Milliseconds for the trial of the parts, on a device at its slowest. */
const trialMilliseconds = 30_000;

/** The runtime, and each part of the program against a known answer. */
export async function lookAtProgram({ program, host }: Ground): Promise<Finding[]> {
  const { version, nodeVersion, node, selfCheck } = program;
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestRuntime;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return [
      failing({
        code: "runtime_too_old",
        what: `Node ${nodeVersion} runs this program, which needs ${oldestRuntime.join(".")} or later.`,
        meaning: "Parts of it may fail at any time.",
        command: "apt-get install steward-runtime",
      }),
    ];
  }
  const began = performance.now();
  const { status, stdout } = await host.run(node, [selfCheck], { timeoutMilliseconds: trialMilliseconds });
  // A device that is busy beyond measure is no broken program; one that crashes ends earlier.
  if (status === null && performance.now() - began >= trialMilliseconds)
    return [
      unseen({
        code: "trial_too_slow",
        what: "The trial of its parts did not end in time: the device is busy.",
      }),
    ];
  const failures = failuresIn(stdout, `the trial ended early (status ${status})`);
  if (failures.length > 0) {
    return [
      failing({
        code: "program_broken",
        what: failureWords(failures, true),
        meaning: "A file of the program is damaged, or is of another kind of machine.",
        command: "apt-get install --reinstall steward",
      }),
    ];
  }
  return [ok({ code: "program_works", what: `steward ${version} on Node ${nodeVersion}; each part works.` })];
}
