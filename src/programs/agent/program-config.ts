import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SettingsChange } from "../../contract/types.ts";
import type { ServiceManager } from "../../host/linux/systemd/service-manager.ts";
import { usualDirectories } from "../../installer/files/release-directories.ts";
import { noDecisions } from "../host-file.ts";
import type { AgentConfig, RoomsConfig } from "./config.ts";
import { usualSealKeyFile, usualStateDirectory } from "./options.ts";

/** This program, and what the process that runs it knows of itself. */
export interface Program
  extends Pick<
    AgentConfig,
    "assetsDirectory" | "factsWorker" | "build" | "nodeVersion" | "log" | "ownLines" | "isLogInJournal"
  > {
  /** Absolute path of the runtime. */
  readonly node: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user who runs this. */
  readonly userId: () => number | undefined;
  /** Hears that the agent is ready, and that it stops. */
  readonly serviceManager?: ServiceManager;
}

/** What the rooms need of this program on a state directory, without what root decides. */
export async function agentConfig(
  program: Program,
  state: string,
  run: string,
  initialSettings?: string,
): Promise<RoomsConfig> {
  const { assetsDirectory, factsWorker, build, nodeVersion, log, ownLines, isLogInJournal } = program;
  return {
    ...{ assetsDirectory, factsWorker, build, nodeVersion, log, ownLines, isLogInJournal },
    stateDirectory: state,
    runDirectory: run,
    initialSettings: await readInitialSettings(initialSettings),
    credentialsDirectory: program.environment.CREDENTIALS_DIRECTORY,
    sealKeyFile: usualSealKeyFile,
    // The state of the service itself; any other belongs to a trial, which leaves the host's clock and root alone.
    maySteerClock: state === usualStateDirectory,
    installer: state === usualStateDirectory ? { directories: usualDirectories, program: null } : null,
    clockAddon: clockAddon(assetsDirectory),
    selfCheck: { node: program.node, script: join(assetsDirectory, "self-check.js") },
    ...noDecisions.forRooms,
  };
}

/** What the product's maker wants a new device to begin with; checked against the contract where it is merged. */
export async function readInitialSettings(path: string | undefined): Promise<SettingsChange> {
  return path ? (JSON.parse(await readFile(path, "utf8")) as SettingsChange) : {};
}

/** Root's side of updates, beside this program. */
export function installerScript({ assetsDirectory }: Pick<Program, "assetsDirectory">): string {
  return join(assetsDirectory, "installer.js");
}

/** The native module that reads and sets the clock, and speaks to systemd. */
export function clockAddon(assetsDirectory: string): string {
  return join(assetsDirectory, "clock-steering.node");
}
