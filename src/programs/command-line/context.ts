import { join } from "node:path";
import type { CommandContext } from "../../cli/client/context.ts";
import type { SettingsChange } from "../../contract/types.ts";
import type { AsAgent } from "../../host/host.ts";
import { builtAt } from "../../system/version.ts";
import { loadUpdateClient } from "../../updates/load-update-client.ts";
import { installerScript } from "../build.ts";
import type { Program } from "../program.ts";
import type { BecomeOwner } from "./work-offline.ts";

export interface Terminal extends Pick<CommandContext, "stdin" | "stdout" | "stderr" | "interruption"> {
  becomeOwner: BecomeOwner;
  /** The agent's rights for root, who judges in its place; undefined: this process is not root's, or there is no such user. */
  asAgent: () => Promise<AsAgent | undefined>;
}

/** The parts that commands use: the terminal, and this host with its state. */
export function createCommandContext(program: Program, terminal: Terminal): CommandContext {
  const { environment, node } = program;
  const { becomeOwner, stdout, stderr, interruption } = terminal;
  const script = installerScript(program);
  const isNews = createNews();
  return {
    // Most commands read nothing, and opening it is dear.
    get stdin() {
      return terminal.stdin;
    },
    stdout,
    stderr,
    interruption,
    environment,
    program: {
      version: program.build.version,
      builtAt: builtAt(program.build),
      node,
      nodeVersion: program.nodeVersion,
      selfCheck: join(program.assetsDirectory, "self-check.js"),
      userId: program.userId,
    },
    openOffline: async (stateDirectory, how) => {
      const { openOffline } = await import("./work-offline.ts");
      return openOffline(program, becomeOwner, stateDirectory, how, isNews);
    },
    runInstaller: async (words, places) => {
      const { runInstaller } = await import("../installer/run.ts");
      return runInstaller({ node, script }, words, places);
    },
    prepareImage: async (places) => (await import("./prepare-image.ts")).prepareImage(program, places),
    readRootOfTrust: async (bytes) => {
      const { readRootToInstall } = await loadUpdateClient();
      return readRootToInstall(bytes);
    },
    openAge: async () => {
      const { createAge } = await import("../../device/backup/age.ts");
      const { createStartFilter } = await import("../../host/linux/filters.ts");
      return createAge(node, join(program.assetsDirectory, "backup.js"), createStartFilter());
    },
    openHost: async () => {
      const { openExaminedHost } = await import("./examined-host.ts");
      return openExaminedHost(program.userId, terminal.asAgent);
    },
    openState: async (stateDirectory) => {
      const { readInitialSettings } = await import("../agent/config.ts");
      const initialSettings = await readInitialSettings(environment.STEWARD_INITIAL_SETTINGS);
      await becomeOwner(stateDirectory);
      return openStateTools(stateDirectory, initialSettings);
    },
  };
}

async function openStateTools(stateDirectory: string, initialSettings: SettingsChange) {
  const { documentKinds } = await import("../agent/documents.ts");
  const { createStateTools } = await import("../../store/documents/inspection.ts");
  return createStateTools(stateDirectory, documentKinds(initialSettings));
}

/** True for a new text: a command may open the state twice, and would print its remarks twice. */
function createNews(): (text: string) => boolean {
  const said = new Set<string>();
  return (text) => {
    const key = text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");
    const isNew = !said.has(key);
    said.add(key);
    return isNew;
  };
}
