import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Finding, SettingsChange } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import type { Reread } from "../../http/handlers/system.ts";
import { usualDirectories } from "../../installer/files/release-directories.ts";
import { clockAddon } from "../build.ts";
import { type HostDecisions, type HostUpdateConfig, noDecisions } from "../host-file/host-file.ts";
import type { Program, ProgramParts } from "../program.ts";
import type { InstallerAccess } from "./installer-client.ts";
import type { OpenClock } from "./wire-clock.ts";

/** The configuration of an agent at its start. */
export interface AgentConfig extends ProgramParts {
  stateDirectory: string;
  /** The state is only read: without its lock, and nothing is written. */
  readsOnly?: boolean;
  /** The process ends with one command: what it held in memory would be lost at once. */
  forOneCommand?: boolean;
  runDirectory: string;
  /** What a new device begins with, over the defaults. */
  initialSettings: SettingsChange;
  /** systemd's credentials; undefined where there are none. */
  credentialsDirectory: string | undefined;
  /** The key that secrets are sealed with, where no credential gives one. */
  sealKeyFile: string;
  /** The host's own clock may be set; otherwise it is only measured. */
  maySteerClock: boolean;
  /** The root helper may be asked. */
  mayAskRoot: boolean;
  /** Absolute path of clock-steering.node. */
  clockAddon: string;
  /** Absolute paths of the runtime and of self-check.js. */
  selfCheck: { node: string; script: string };
  /** Another clock than this host's. */
  openClock?: OpenClock;
  /** Ports that replace those of this host. */
  host?: Partial<Host>;
  /** Units besides the agent's own whose log may be read. */
  logUnits: readonly string[];
  /** HTTPS on the LAN, as the host file has it. */
  https: HostDecisions["https"];
  /** The present finding about the host file; null: there is none. */
  hostFileTrouble?: () => Finding | null;
  /** Reads the host file again; absent where no agent runs. */
  reload?: () => Promise<Reread>;
  /** What this device runs, as releases name it. */
  product: string;
  /** The last day of the maker's support (YYYY-MM-DD); null: root has said none. */
  supportUntil: string | null;
  update: HostUpdateConfig;
  /** Where users can sign in besides; null: nowhere. */
  oidc: HostDecisions["forRooms"]["oidc"];
  /** Where the installer is, and how the agent starts it; null: there is none. */
  installer: InstallerAccess | null;
  /** Loopback only: plain HTTP goes no further. */
  listen: { host: string; port: number };
  /** Names that this device answers to, besides its host name, its addresses and localhost. */
  hostNames: readonly string[];
  /** Addresses and CIDR ranges of proxies, which say where a request comes from. */
  trustedProxies: readonly string[];
}

/** The part of it that the rooms need, also in a command that works without the agent. */
export type RoomsConfig = Omit<AgentConfig, "listen" | "hostNames" | "trustedProxies">;

/** root:steward 0640. Without this key a copy of the state does not reveal the secrets in it. */
export const usualSealKeyFile = "/etc/steward/seal.key";
export const usualStateDirectory = "/var/lib/steward";

/** The configuration of the rooms for a state directory, without root's decisions. */
export async function agentConfig(
  program: Program,
  state: string,
  run: string,
  initialSettings?: string,
): Promise<RoomsConfig> {
  const { assetsDirectory, factsWorker, build, nodeVersion, log, ownLines } = program;
  const { isLogInJournal, adoptTimeZone, processUsage, passwordCost } = program;
  const { https, forRooms } = noDecisions();
  return {
    ...{ assetsDirectory, factsWorker, build, nodeVersion, log, ownLines, isLogInJournal, adoptTimeZone },
    ...{ processUsage, passwordCost },
    stateDirectory: state,
    runDirectory: run,
    initialSettings: await readInitialSettings(initialSettings),
    credentialsDirectory: program.environment.CREDENTIALS_DIRECTORY,
    sealKeyFile: usualSealKeyFile,
    // Only for the service's own state: a trial in another directory touches neither the host's clock nor root's files.
    maySteerClock: state === usualStateDirectory,
    mayAskRoot: state === usualStateDirectory,
    installer: state === usualStateDirectory ? { directories: usualDirectories, program: null } : null,
    clockAddon: clockAddon(assetsDirectory),
    selfCheck: { node: program.node, script: join(assetsDirectory, "self-check.js") },
    https,
    ...forRooms,
  };
}

/** The settings that the maker of the product gives to a new device. They are validated where they are merged. */
export async function readInitialSettings(path: string | undefined): Promise<SettingsChange> {
  return path ? (JSON.parse(await readFile(path, "utf8")) as SettingsChange) : {};
}

/** The installer, beside this program. */
export function installerScript({ assetsDirectory }: Pick<Program, "assetsDirectory">): string {
  return join(assetsDirectory, "installer.js");
}
