import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import type { Scenario } from "./scenario.ts";

const root = join(import.meta.dirname, "../..");

/** Where a package would put each file of systemd/. */
const places = [
  { ending: ".service", place: "/usr/lib/systemd/system" },
  { ending: ".preset", place: "/usr/lib/systemd/system-preset" },
  { ending: ".rules", place: "/usr/share/polkit-1/rules.d" },
  { ending: ".sysusers", place: "/usr/lib/sysusers.d", renamed: ".conf" },
  { ending: ".tmpfiles", place: "/usr/lib/tmpfiles.d", renamed: ".conf" },
];

/** As `steward` is on the PATH of an appliance. */
const command = `#!/bin/sh
exec /usr/lib/steward/bin/node /usr/lib/steward/main.js "$@"
`;

/** The scenario's guest part runs beside the agent, not before or after it. */
const scenarioUnit = `[Unit]
Description=The guest part of the scenario
DefaultDependencies=no
After=sysinit.target dbus.socket
[Service]
Type=exec
ExecStart=/usr/lib/steward/bin/node /usr/lib/steward-vm/guest.mjs
StandardInput=null
`;

/** Makes the tar that is unpacked over the machine's disk at each boot, and returns its path. */
export async function makePayload(name: string, scenario: Scenario, directory: string): Promise<string> {
  const tree = join(directory, "payload");
  rmSync(tree, { recursive: true, force: true });
  const put = (path: string, content: string, mode = 0o644): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
    chmodSync(join(tree, path), mode);
  };
  putProgram(tree);
  put("/usr/bin/steward", command, 0o755);
  putUnits(tree);
  put("/etc/systemd/system/steward-vm.service", scenarioUnit);
  await bundleGuestPart(name, join(tree, "usr/lib/steward-vm/guest.mjs"));
  for (const [path, content] of Object.entries(scenario.files ?? {})) put(path, content);
  // Folders of the tree become the machine's: readable whatever the umask here is.
  execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
  const tar = join(directory, "payload.tar");
  execFileSync("tar", ["--create", "--file", tar, "--owner=0", "--group=0", "--directory", tree, "."]);
  rmSync(tree, { recursive: true });
  return tar;
}

function putProgram(tree: string): void {
  const home = join(tree, "usr/lib/steward");
  cpSync(join(root, "dist"), home, { recursive: true });
  // What the bundle leaves outside; native code for this machine's kind alone.
  for (const name of ["@node-rs/argon2", "@node-rs/argon2-linux-x64-gnu", "node-ntp-client"]) {
    const from = join(root, "node_modules", name);
    if (!existsSync(from))
      throw new Error(`node_modules/${name} is missing: the machine is x86-64 with glibc`);
    cpSync(from, join(home, "node_modules", name), { recursive: true });
  }
}

function putUnits(tree: string): void {
  for (const name of readdirSync(join(root, "systemd"))) {
    const kind = places.find(({ ending }) => name.endsWith(ending));
    if (!kind) throw new Error(`systemd/${name}: no place for it is known`);
    const target = kind.renamed ? name.replace(kind.ending, kind.renamed) : name;
    cpSync(join(root, "systemd", name), join(tree, kind.place, target));
  }
  // In the way of nothing, so that a scenario can say `systemctl enable`; what starts at boot is on the kernel's command line.
  mkdirSync(join(tree, "etc/systemd/system/multi-user.target.wants"), { recursive: true });
  symlinkSync(
    "/etc/systemd/system/steward-vm.service",
    join(tree, "etc/systemd/system/multi-user.target.wants/steward-vm.service"),
  );
}

async function bundleGuestPart(name: string, outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: `import { runGuestPart } from "./guest/main.ts";
import { scenario } from "./scenarios/${name}.ts";
await runGuestPart(scenario);`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
}
