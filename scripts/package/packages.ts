/** Builds the packages: for each kind of machine the program and the runtime, and what is the same for all. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPublisher } from "../build/publisher.ts";
import type { Build } from "../install/files.ts";
import { stampOf } from "../stamp.ts";
import { debianChangelog, publisherTree, stewardTree, timekeeperTree } from "./contents.ts";
import { pack } from "./deb.ts";
import { type Machine, machines } from "./machines.ts";
import { fetchNativeModules } from "./native-modules.ts";
import { packRuntime } from "./runtime.ts";
import { emptyTree, newestLibc, work } from "./trees.ts";

const root = join(import.meta.dirname, "../..");

export interface Wanted {
  readonly for: readonly Machine[];
  /** A semantic version. */
  readonly version: string;
  readonly into: string;
}

/** Returns the paths of the packages. */
export async function makePackages({ for: wanted, version, into }: Wanted): Promise<string[]> {
  process.umask(0o022);
  const date = dateOfSources();
  const debianVersion = version.replace("-", "~");
  const common = { version: debianVersion, date };
  const changelog = debianChangelog(debianVersion, date);
  const made: string[] = [];
  for (const machine of wanted) {
    const tree = emptyTree(`steward-${machine}`);
    await stewardTree(tree, buildFor(machine, version), changelog);
    const words = { ...unitWords(), libc: newestLibc(tree) };
    made.push(pack({ ...common, name: "steward", architecture: machine, words }, tree, into));
    made.push(packRuntime(machine, into));
  }
  const forAll = { ...common, architecture: "all" as const, words: { version: debianVersion } };
  const timekeeper = emptyTree("steward-timekeeper");
  timekeeperTree(timekeeper, changelog);
  made.push(pack({ ...forAll, name: "steward-timekeeper" }, timekeeper, into));
  const publisher = emptyTree("steward-publisher");
  const built = join(work, "dist-publisher");
  await buildPublisher(built, { ...stampOf(root, () => undefined), version });
  publisherTree(publisher, built, changelog);
  made.push(pack({ ...forAll, name: "steward-publisher" }, publisher, into));
  putTests(join(into, "tests/debian"), changelog);
  return made;
}

/** In seconds: the commit's, so that one commit gives one package. Outside of git the one of this convention, or now. */
function dateOfSources(): number {
  const { date } = stampOf(root, () => undefined);
  const given = Number(process.env.SOURCE_DATE_EPOCH) || Date.now() / 1_000;
  return Math.floor(date === null ? given : Date.parse(date) / 1_000);
}

function buildFor(machine: Machine, version: string): Build {
  const dist = join(work, `dist-${machine}`);
  const nodeModules = fetchNativeModules(machine);
  const target = ["--compiler", machines[machine].compiler, "--node-modules", nodeModules];
  const args = ["--import", "tsx", "scripts/build.ts", "--into", dist, "--version", version, ...target];
  execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return { dist, nodeModules };
}

/** A source package of nothing but its tests, for autopkgtest(1): with a control file it would want to build one. */
function putTests(directory: string, changelog: string): void {
  cpSync(join(import.meta.dirname, "debian/tests"), join(directory, "tests"), { recursive: true });
  writeFileSync(join(directory, "changelog"), changelog);
}

/** The maintainer scripts get the units of the package by what happens to them. A template means its instances. */
function unitWords(): Readonly<Record<string, string>> {
  const preset = readFileSync(join(root, "systemd/steward.preset"), "utf8");
  const enabled = [...preset.matchAll(/^enable (\S+)$/gm)].map(([, unit = ""]) => unit);
  const units = readdirSync(join(root, "systemd")).filter((name) =>
    /\.(service|socket|slice|timer)$/.test(name),
  );
  const all = units.filter((name) => !name.endsWith(".slice"));
  const sockets = all.filter((name) => name.endsWith(".socket"));
  return {
    UNITS: units.join(" "),
    ENABLED: enabled.join(" "),
    SOCKETS: sockets.join(" "),
    SOCKET_SERVICES: sockets.map((name) => name.replace(".socket", ".service")).join(" "),
    ACCOUNTS: readFileSync(join(root, "scripts/build/accounts.sh"), "utf8").trimEnd(),
    ALL: all.map((name) => (name.includes("@.") ? `'${name.replace("@.", "@*.")}'` : name)).join(" "),
  };
}
