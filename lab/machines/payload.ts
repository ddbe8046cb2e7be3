import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { install } from "../../scripts/install/files.ts";
import type { Scenario, TierName } from "./scenario.ts";

/** Units that presets would enable besides the agent; each boot names those that it starts. */
const enabled = ["steward-guard.service", "steward-guard-boot.service", "steward-rescue.service"];

/** The scenario's guest part runs beside the agent, not before or after it. */
const scenarioUnit = `[Unit]
Description=The guest part of the scenario
DefaultDependencies=no
After=sysinit.target dbus.socket
[Service]
Type=exec
ExecStart=/usr/lib/steward-vm/node /usr/lib/steward-vm/guest.mjs
StandardInput=null
`;

/** A scenario as it runs in a tier, and the file that it is in. */
export interface Content {
  readonly module: string;
  readonly scenario: Scenario;
  readonly tier: TierName;
}

/** Makes the tar that is unpacked over the machine's disk at each boot, and returns its path. */
export async function makePayload(content: Content, directory: string): Promise<string> {
  const tree = join(directory, "payload");
  await layOut(content, tree);
  const tar = join(directory, "payload.tar");
  execFileSync("tar", ["--create", "--file", tar, "--owner=0", "--group=0", "--directory", tree, "."]);
  rmSync(tree, { recursive: true });
  return tar;
}

/**
 * Puts into `tree` what the machine has above its image: Steward, if it is no bare one, the guest part, and the
 * scenario's files.
 */
export async function layOut({ module, scenario, tier }: Content, tree: string): Promise<void> {
  rmSync(tree, { recursive: true, force: true });
  const put = (path: string, content: string, mode = 0o644): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
    chmodSync(join(tree, path), mode);
  };
  const isBare = (scenario.machine ?? "appliance") !== "appliance";
  if (!isBare) await install({ destination: tree, prefix: "/usr" });
  putWants(tree, isBare ? [] : enabled);
  put("/etc/systemd/system/steward-vm.service", scenarioUnit);
  await bundleGuestPart(module, tier, join(tree, "usr/lib/steward-vm/guest.mjs"));
  for (const [path, content] of Object.entries(scenario.files ?? {})) put(path, content);
  for (const [path, fill] of Object.entries(scenario.folders ?? {})) {
    mkdirSync(join(tree, path), { recursive: true });
    await fill(join(tree, path));
  }
  // Folders of the tree become the machine's: readable whatever the umask here is.
  execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
}

/** Units stay enabled or disabled as a scenario leaves them; the kernel's command line names those that start at boot. */
function putWants(tree: string, units: readonly string[]): void {
  const wants = join(tree, "etc/systemd/system/multi-user.target.wants");
  mkdirSync(wants, { recursive: true });
  symlinkSync("/etc/systemd/system/steward-vm.service", join(wants, "steward-vm.service"));
  for (const unit of units) symlinkSync(`/usr/lib/systemd/system/${unit}`, join(wants, unit));
}

/** A scenario is one module for both sides, and the host builds releases in it: what that takes stays on the host. */
const withoutHostPart: Plugin = {
  name: "without-host-part",
  setup: (esbuild) => {
    const namespace = "host-part";
    esbuild.onResolve({ filter: /^(esbuild|playwright-core|smtp-server)$/ }, ({ path }) => ({
      path,
      namespace,
    }));
    esbuild.onLoad({ filter: /.*/, namespace }, () => ({ contents: "module.exports = {};" }));
  },
};

async function bundleGuestPart(module: string, tier: TierName, outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: `import { runGuestPart } from "./guest/main.ts";
import { inTier } from "./scenario.ts";
import { scenario } from ${JSON.stringify(module)};
await runGuestPart(inTier(scenario, "${tier}"));`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [withoutHostPart],
    logLevel: "warning",
  });
}
