import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { putProgram } from "./program-files.ts";
import type { Scenario } from "./scenario.ts";

const root = join(import.meta.dirname, "../..");

/** Where a package would put each file of systemd/. */
const places: readonly { ending: string; place: string; renamed?: string }[] = [
  { ending: ".service", place: "/usr/lib/systemd/system" },
  { ending: ".preset", place: "/usr/lib/systemd/system-preset" },
  { ending: ".rules", place: "/usr/share/polkit-1/rules.d" },
  { ending: ".sysusers", place: "/usr/lib/sysusers.d", renamed: ".conf" },
  { ending: ".tmpfiles", place: "/usr/lib/tmpfiles.d", renamed: ".conf" },
  { ending: ".launcher", place: "/usr/lib/steward", renamed: "" },
];

/** What presets would have enabled besides the agent, which each boot names or leaves out. */
const enabled = ["steward-guard.service", "steward-guard-boot.service"];

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
  putProgram(join(root, "dist"), join(tree, "usr/lib/steward"));
  putUnits(tree);
  putLauncher(tree);
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

function putUnits(tree: string): void {
  for (const name of readdirSync(join(root, "systemd"))) {
    const kind = places.find(({ ending }) => name.endsWith(ending));
    if (!kind) throw new Error(`systemd/${name}: no place for it is known`);
    const target = kind.renamed === undefined ? name : name.replace(kind.ending, kind.renamed);
    cpSync(join(root, "systemd", name), join(tree, kind.place, target));
  }
  // In the way of nothing, so that a scenario can say `systemctl enable`; what starts at boot is on the kernel's command line.
  const wants = join(tree, "etc/systemd/system/multi-user.target.wants");
  mkdirSync(wants, { recursive: true });
  symlinkSync("/etc/systemd/system/steward-vm.service", join(wants, "steward-vm.service"));
  for (const unit of enabled) symlinkSync(`/usr/lib/systemd/system/${unit}`, join(wants, unit));
}

/** As `steward` is on the PATH of an appliance. */
function putLauncher(tree: string): void {
  chmodSync(join(tree, "usr/lib/steward/steward"), 0o755);
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  symlinkSync("../lib/steward/steward", join(tree, "usr/bin/steward"));
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
