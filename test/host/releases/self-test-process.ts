/** Runs a self-test that never ends, so that the one who runs it can be killed. */
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createSelfTest } from "../../../src/host/linux/releases/self-test.ts";

const [directory = "", words = ""] = process.argv.slice(2);
const selfTest = createSelfTest(createRunCommand(), true);
await selfTest(["sh", "-c", `setsid ${words} & ${words}`], { kind: "rules", version: "1.0.0", directory });
