import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileTests } from "../../scripts/test-runner/compile.ts";
import { runTestFile } from "./trials.ts";

/** A check taken out of a source by hand, and the test that must fail without it. */
export interface NamedFault {
  /** The attack that gets through without the check. */
  readonly name: string;
  readonly file: string;
  /** A text that the file has once. */
  readonly check: string;
  readonly instead: string;
  readonly test: { readonly file: string; readonly title: string };
}

/** Seconds for one test. */
const longestSeconds = 120;

/** True when the test passes, and fails in a build with the fault; it is compiled into `directory`, relative to `root`. */
export async function isNamedNoticed(
  fault: NamedFault,
  { root, directory, programs }: { root: string; directory: string; programs: readonly string[] },
): Promise<boolean> {
  const path = join(root, fault.file);
  const [before, after, ...others] = readFileSync(path, "utf8").split(fault.check);
  if (after === undefined || others.length > 0)
    throw new Error(`"${fault.name}" takes out a text that ${fault.file} must have once: ${fault.check}`);
  const run = async (contents: ReadonlyMap<string, string>) => {
    const [file = ""] = await compileTests(root, directory, [fault.test.file, ...programs], { contents });
    return runTestFile(file, longestSeconds, { directory: join(root, directory), title: fault.test.title });
  };
  if ((await run(new Map())) !== "passed")
    throw new Error(`"${fault.test.title}" of ${fault.test.file} does not pass without a fault`);
  return (await run(new Map([[path, `${before}${fault.instead}${after}`]]))) === "failed";
}
