/** Imported by each compiled test file: leaves at its end the faults whose code it came through. */
import { writeFileSync } from "node:fs";

interface Switchboard {
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

const path = process.env.STEWARD_MUTATION_COVERAGE;
if (path !== undefined) {
  process.once("exit", () => {
    const board = (globalThis as { __stryker__?: Switchboard }).__stryker__;
    writeFileSync(path, Object.keys(board?.mutantCoverage?.static ?? {}).join("\n"));
  });
}
