import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { putProgram } from "../../../scripts/install/files.ts";
import type { NewRelease } from "../../machines/host/publisher.ts";

const root = join(import.meta.dirname, "../../..");

/** The differences of a release of Steward from this checkout. */
export interface StewardDifference {
  /** `exits`: exits as soon as it runs as the agent; `no passwords`: neither Node nor a module hashes its passwords. */
  readonly fault?: "exits" | "no passwords";
  /** Each document of the state has a form of its own, one minor version up, with one member more and a migration. */
  readonly hasNextForms?: boolean;
}

/** A release of Steward itself: this checkout, built as another version, with what a package has beside it. */
export function stewardRelease(version: string, difference: StewardDifference = {}): NewRelease {
  const home = "lib/steward";
  return {
    kind: "binary",
    version,
    programs: [`${home}/steward`],
    tree: (directory) => putSteward(version, join(directory, home), difference),
  };
}

/** Builds this checkout as another version, and puts it with its launcher into `home`. */
export function putSteward(version: string, home: string, difference: StewardDifference = {}): void {
  // A directory of its own: two scenarios that run at once make the same versions.
  const own = fs.mkdtempSync(join(root, ".cache/steward-release-"));
  try {
    const into = join(own, version);
    build(difference.hasNextForms ? sourcesWithNextForms(join(own, "sources")) : root, into, version);
    putProgram(into, home);
  } finally {
    fs.rmSync(own, { recursive: true, force: true });
  }
  fs.cpSync(join(root, "systemd/steward.launcher"), join(home, "steward"));
  fs.chmodSync(join(home, "steward"), 0o755);
  if (difference.fault === "exits") insert(join(home, "main.js"), exits);
  if (difference.fault !== "no passwords") return;
  // The module, and the argon2 of Node 24.7 and later.
  fs.rmSync(join(home, "node_modules/@node-rs"), { recursive: true });
  for (const name of ["main.js", "self-check.js"])
    insert(join(home, name), 'require("node:crypto").argon2=undefined;');
}

function build(sources: string, into: string, version: string): void {
  execFileSync(
    process.execPath,
    ["--import", "tsx", join(sources, "scripts/build.ts"), "--into", into, "--version", version],
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
  );
  if (!fs.existsSync(join(into, "main.js"))) throw new Error(`no Steward ${version} was built`);
}

/** Prints its version like any other release, and exits as soon as it runs as the agent: no self-test would notice. */
const exits =
  'if(process.argv[2]==="serve"){process.stderr.write("a fault of this release\\n");process.exit(1)}';

/** Before the code of a program: behind the line that names its runtime, if it has one. */
function insert(path: string, fault: string): void {
  const text = fs.readFileSync(path, "utf8");
  const [, first = "", rest = text] = /^(#![^\n]*\n)([\s\S]*)$/.exec(text) ?? [];
  fs.writeFileSync(path, `${first}${fault}\n${rest}`);
}

/** The function that each kind of document passes in a release with the next forms. */
const nextForm = `export function nextForm(kind: any): any {
  const [major, minor] = kind.formatVersion.split(".");
  const formatVersion = \`\${major}.\${Number(minor) + 1}.0\`;
  const migrate = (members: any) => members.set("next_form", "written by the next release");
  const properties = { ...kind.schema.properties, next_form: { type: "string" } };
  const migrations = { ...kind.migrations, [formatVersion]: migrate };
  return { ...kind, formatVersion, migrations, schema: { ...kind.schema, properties } };
}
`;

/** A copy of the sources in which each kind of document has its next form; its path. */
function sourcesWithNextForms(copy: string): string {
  fs.mkdirSync(copy, { recursive: true });
  const documents = ["docs", "README.md", "CHANGELOG.md", "SECURITY.md"];
  const packages = ["package.json", "package-lock.json", "tsconfig.json"];
  for (const name of ["src", "scripts", ...documents, ...packages]) {
    fs.cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  fs.symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  fs.writeFileSync(join(copy, "src/store/next-form.ts"), nextForm);
  let declared = 0;
  let kinds = 0;
  for (const path of fs.readdirSync(join(copy, "src"), { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts")) continue;
    const text = fs.readFileSync(join(copy, "src", path), "utf8");
    declared += [...text.matchAll(/: DocumentKind<[A-Z]\w+>/g)].length;
    const kind =
      /(: DocumentKind<\w+> = )(\{\n {2}name: .*?\n\});|(: DocumentKind<\w+> \{\n {2}return )(\{\n.*?\n {2}\});/gs;
    const changed = text.replace(kind, (_, ...parts: string[]) => {
      kinds += 1;
      const [head, body] = parts[0] === undefined ? parts.slice(2) : parts;
      return `${head}nextForm(${body});`;
    });
    if (changed === text) continue;
    const up = "../".repeat(path.split("/").length - 1) || "./";
    fs.writeFileSync(
      join(copy, "src", path),
      `import { nextForm } from "${up}store/next-form.ts";\n${changed}`,
    );
  }
  if (kinds !== declared)
    throw new Error(`${kinds} kinds of documents were given a next form, and src/ has ${declared}`);
  return copy;
}
