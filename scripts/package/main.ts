/**
 * make package: main.ts [--version VERSION] [--into DIR] [MACHINE…]. Builds the Debian packages for amd64 and arm64, has
 * lintian judge them, starts the program of each machine, and prints the sizes.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stampOf } from "../stamp.ts";
import { isMachine, type Machine, machines } from "./machines.ts";
import { makePackages } from "./packages.ts";
import { startProgram } from "./start-program.ts";

const root = join(import.meta.dirname, "../..");

/** The program with all that is bundled, packed; the runtime is apart. */
const largestProgram = 3 * 1024 * 1024;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { version: { type: "string" }, into: { type: "string", default: join(root, "dist-packages") } },
});

try {
  const unknown = positionals.filter((name) => !isMachine(name)).join(" ");
  const known = Object.keys(machines).join(" and ");
  if (unknown !== "") throw new Error(`there are packages for ${known}, not for ${unknown}`);
  const wanted = positionals.filter(isMachine);
  await make(wanted.length > 0 ? wanted : (Object.keys(machines) as Machine[]));
} catch (error) {
  process.stderr.write(`make package: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function make(wanted: readonly Machine[]): Promise<void> {
  const into = resolve(values.into);
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const made = await makePackages({
    for: wanted,
    version: values.version ?? stampOf(root, console.warn).version,
    into,
  });
  for (const path of made) print(path);
  for (const path of made) checkSize(path);
  judge(made);
  for (const machine of wanted) {
    const { version, seconds } = await startProgram(machine);
    const words = `${version} answers after ${seconds.toFixed(1)} s, hashes passwords and reads the clock`;
    console.log(`started for ${machine}: ${words}`);
  }
}

function print(path: string): void {
  const words = (bytes: number): string => {
    const mebibytes = bytes / 1024 / 1024;
    return mebibytes < 0.1 ? `${Math.ceil(bytes / 1024)} KiB` : `${mebibytes.toFixed(2)} MiB`;
  };
  const field = execFileSync("dpkg-deb", ["--field", path, "Installed-Size"], { encoding: "utf8" });
  const sizes = `${words(statSync(path).size)}, installed ${words(Number(field) * 1024)}`;
  console.log(`${relative(process.cwd(), path)}: ${sizes}`);
}

function checkSize(path: string): void {
  const { size } = statSync(path);
  if (!basename(path).startsWith("steward_") || size <= largestProgram) return;
  throw new Error(`${basename(path)} has ${size} bytes; the program may have ${largestProgram}`);
}

/** By lintian, with every tag but those for which debian/ has an override with its reason. */
function judge(packages: readonly string[]): void {
  const tags = ["--display-info", "--pedantic", "--fail-on", "error,warning,info,pedantic"];
  const words = [...tags, "--tag-display-limit", "0", "--allow-root"];
  const { status, stdout, stderr } = spawnSync("lintian", [...words, ...packages], { encoding: "utf8" });
  if (status !== 0) throw new Error(`lintian is not content:\n${stdout}${stderr}`);
  console.log(`lintian finds nothing to remark on ${packages.length} packages`);
}
