import { join } from "node:path";
import type { CommandContext } from "../../cli/client/context.ts";
import { builtAt } from "../../system/version.ts";
import { loadUpdateClient } from "../../updates/load-update-client.ts";
import { agentConfig, installerScript, readInitialSettings } from "../agent/config.ts";
import { readDecisionsInForce, usualHostFile } from "../host-file/host-file.ts";
import type { Program } from "../program.ts";

/** Parts that only the process of the command line has. */
export interface Terminal extends Pick<CommandContext, "stdin" | "stdout" | "stderr" | "interruption"> {
  /** Makes this process continue as the owner of a directory; with `keepsClock` it keeps the right to set the clock. */
  becomeOwner: (directory: string, options?: { keepsClock: boolean }) => Promise<void>;
}

/** The parts that commands use: the terminal, and this host with its state. */
export function createCommandContext(program: Program, terminal: Terminal): CommandContext {
  const { environment, node } = program;
  const { becomeOwner, ...streams } = terminal;
  const script = installerScript(program);
  const isNews = createNews();
  return {
    ...streams,
    environment,
    program: {
      version: program.build.version,
      builtAt: builtAt(program.build),
      node,
      nodeVersion: program.nodeVersion,
      selfCheck: join(program.assetsDirectory, "self-check.js"),
      userId: program.userId,
    },
    openOffline: (stateDirectory, how) =>
      openOffline(program, becomeOwner, { ...how, stateDirectory, isNews }),
    runInstaller: async (words, places) => {
      const { runInstaller } = await import("../installer/run.ts");
      return runInstaller({ node, script }, words, places);
    },
    prepareImage: (places) => prepareImage(program, places),
    readRootOfTrust: async (bytes) => {
      const { readRootToInstall } = await loadUpdateClient();
      return readRootToInstall(bytes);
    },
    openHost: async () => {
      const { openExaminedHost } = await import("./examined-host.ts");
      return openExaminedHost(program.userId);
    },
    openState: async (stateDirectory) => {
      const initialSettings = await readInitialSettings(environment.STEWARD_INITIAL_SETTINGS);
      await becomeOwner(stateDirectory);
      const { openStateTools } = await import("../agent/offline.ts");
      return openStateTools(stateDirectory, initialSettings);
    },
  };
}

interface OfflineOptions {
  readonly stateDirectory: string;
  readonly readsOnly: boolean;
  readonly remark: (text: string) => Promise<void>;
  readonly isNews: (text: string) => boolean;
}

/** The operations in this process, which continues as the owner of the state. */
async function openOffline(
  program: Program,
  becomeOwner: Terminal["becomeOwner"],
  { stateDirectory, readsOnly, remark, isNews }: OfflineOptions,
) {
  const { environment, node } = program;
  const initialSettings = environment.STEWARD_INITIAL_SETTINGS;
  const config = await agentConfig(program, stateDirectory, stateDirectory, initialSettings);
  await becomeOwner(stateDirectory, { keepsClock: true });
  const hostFile = environment.STEWARD_HOST_FILE || usualHostFile;
  const { decisions, trouble } = await readDecisionsInForce(hostFile, program.userId());
  const { https, forRooms } = decisions;
  const { openOfflineClient } = await import("../agent/offline.ts");
  const { installerAccessOf } = await import("../installer/run.ts");
  const script = installerScript(program);
  const installer = installerAccessOf(environment, { node, script, state: stateDirectory, hostFile });
  const hostFileTrouble = () => trouble;
  const ofDevice = { ...config, https, ...forRooms, hostFileTrouble };
  return openOfflineClient({ ...ofDevice, ...(installer && { installer }), readsOnly }, (text) => {
    if (isNews(text)) void remark(text);
  });
}

async function prepareImage(
  { assetsDirectory, node, userId }: Program,
  places: Parameters<CommandContext["prepareImage"]>[0],
): Promise<void> {
  const { createPrepareImage } = await import("./prepare-image.ts");
  const { createRunCommand } = await import("../../host/linux/commands.ts");
  const program = [node, join(assetsDirectory, "main.js")] as const;
  return createPrepareImage({ run: createRunCommand(), userId, program })(places);
}

/**
 * Returns true for a text that is new. A command may open the state twice, to read and to write, and would print its
 * remarks twice.
 */
function createNews(): (text: string) => boolean {
  const said = new Set<string>();
  return (text) => {
    const key = text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");
    const isNew = !said.has(key);
    said.add(key);
    return isNew;
  };
}
