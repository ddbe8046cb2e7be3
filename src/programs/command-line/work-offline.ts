import type { CommandContext } from "../../cli/client/context.ts";
import { agentConfig } from "../agent/config.ts";
import { openOfflineClient } from "../agent/offline.ts";
import { installerScript } from "../build.ts";
import { readDecisionsInForce, usualHostFile } from "../host-file/host-file.ts";
import { installerAccessOf } from "../installer/run.ts";
import type { Program } from "../program.ts";

/** Makes this process continue as the owner of a directory; with `keepsClock` it keeps the right to set the clock. */
export type BecomeOwner = (directory: string, options?: { keepsClock: boolean }) => Promise<void>;

/** The operations in this process, which continues as the owner of the state. */
export async function openOffline(
  program: Program,
  becomeOwner: BecomeOwner,
  stateDirectory: string,
  { readsOnly, remark }: Parameters<CommandContext["openOffline"]>[1],
  isNews: (text: string) => boolean,
) {
  const { environment, node } = program;
  const initialSettings = environment.STEWARD_INITIAL_SETTINGS;
  const config = await agentConfig(program, stateDirectory, stateDirectory, initialSettings);
  await becomeOwner(stateDirectory, { keepsClock: true });
  const hostFile = environment.STEWARD_HOST_FILE || usualHostFile;
  const { decisions, trouble } = await readDecisionsInForce(hostFile, program.userId());
  const { https, forRooms } = decisions;
  const script = installerScript(program);
  const installer = installerAccessOf(environment, { node, script, state: stateDirectory, hostFile });
  const ofDevice = { ...config, https, ...forRooms, hostFileTrouble: () => trouble };
  return openOfflineClient({ ...ofDevice, ...(installer && { installer }), readsOnly }, (text) => {
    if (isNews(text)) void remark(text);
  });
}
