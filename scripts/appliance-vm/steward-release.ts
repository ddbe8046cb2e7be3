import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putProgram } from "../install/files.ts";
import type { NewRelease } from "./publisher.ts";

const root = join(import.meta.dirname, "../..");

/** A release of Steward itself: this checkout, built as another version, with what a package has beside it. */
export function stewardRelease(version: string, { starts }: { starts: boolean }): NewRelease {
  const home = "lib/steward";
  return {
    kind: "binary",
    version,
    programs: [`${home}/steward`],
    tree: (directory) => {
      const into = join(root, `.cache/steward-${version}`);
      execFileSync(
        process.execPath,
        ["--import", "tsx", join(root, "scripts/build.ts"), "--into", into, "--version", version],
        { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
      );
      if (!existsSync(join(into, "main.js"))) throw new Error(`no Steward ${version} was built`);
      putProgram(into, join(directory, home));
      cpSync(join(root, "systemd/steward.launcher"), join(directory, home, "steward"));
      if (!starts) breakAgent(join(directory, home, "main.js"));
    },
  };
}

/** Says its version like any other, and ends as soon as it is to be the agent: what no self-test would find. */
function breakAgent(path: string): void {
  const [first = "", ...rest] = readFileSync(path, "utf8").split("\n");
  const fault =
    'if(process.argv[2]==="serve"){process.stderr.write("a fault of this release\\n");process.exit(1)}';
  writeFileSync(path, [first, fault, ...rest].join("\n"));
}
