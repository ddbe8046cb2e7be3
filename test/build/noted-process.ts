/**
 * As the process of a test file that leaves a grandchild to itself, as Chromium's zygote does with renderers: notes what it
 * cost, and prints the seconds that are counted by waiting. Arguments: a file for the grandchild's end.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { until } from "../../lab/basics/until.ts";
import { noteOwnCost } from "../../scripts/test-runner/costs.ts";
import { ownProcessorSeconds } from "../../scripts/test-runner/processor-time.ts";

const [, , ended = ""] = process.argv;
const busy = "while (process.cpuUsage().user < 500_000) for (let i = 0; i < 1e6; i += 1);";
noteOwnCost("a.test.ts");
execFileSync("sh", ["-c", `("$0" -e '${busy}'; : > "$1") >/dev/null 2>&1 &`, process.execPath, ended]);
await until("the grandchild has ended", () => existsSync(ended));
process.stdout.write(`${ownProcessorSeconds()}\n`);
