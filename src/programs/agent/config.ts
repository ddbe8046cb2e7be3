import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Finding, SettingsChange } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import type { ServiceManager } from "../../host/linux/systemd/service-manager.ts";
import type { Reread } from "../../http/handlers/system.ts";
import { usualDirectories } from "../../installer/files/release-directories.ts";
import type { Log } from "../../journal/logs/log.ts";
import type { OwnLines } from "../../journal/logs/own-lines.ts";
import type { Build } from "../../system/version.ts";
import type { Argon2Cost } from "../../users/argon2.ts";
import { clockAddon } from "../build.ts";
import { type HostDecisions, type HostUpdateConfig, noDecisions } from "../host-file/host-file.ts";
import type { InstallerAccess } from "./installer-client.ts";
import type { OpenClock } from "./wire-clock.ts";

/** Of this process; seconds and bytes. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly heapTotalBytes: number;
  readonly openFiles: number;
  /** Null: the host does not tell. */
  readonly mostOpenFiles: number | null;
  readonly uptimeSeconds: number;
}

/** All that the agent is started with. */
export interface AgentConfig {
  stateDirectory: string;
  /** The state is only read: without its lock, and nothing is written. */
  readsOnly?: boolean;
  /** The process ends with one command: what it held in memory would be lost at once. */
  forOneCommand?: boolean;
  runDirectory: string;
  /** Beside the program: common-passwords.txt, the facts worker, the console. */
  assetsDirectory: string;
  /** Absolute path of the facts worker. */
  factsWorker: string;
  /** What a new device begins with, over the defaults. */
  initialSettings: SettingsChange;
  build: Build;
  nodeVersion: string;
  log: Log;
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
  /** What this process has used so far, and how long it has run. */
  processUsage: () => ProcessUsage;
  /** Makes this process go by another time zone. */
  adoptTimeZone: (name: string) => void;
  /** The cost of new hashes. Only a test gives it: no argument, variable or file reaches it. */
  passwordCost?: Argon2Cost | undefined;
  /** Another clock than this host's. */
  openClock?: OpenClock;
  /** Ports that replace those of this host. */
  host?: Partial<Host>;
  /** What `log` wrote lately. */
  ownLines: OwnLines;
  /** What `log` writes goes to the journal, so it need not be kept here as well. */
  isLogInJournal: boolean;
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

/** This program, and the process that runs it. */
export interface Program
  extends Pick<
    AgentConfig,
    | "assetsDirectory"
    | "factsWorker"
    | "build"
    | "nodeVersion"
    | "log"
    | "ownLines"
    | "isLogInJournal"
    | "adoptTimeZone"
    | "processUsage"
    | "passwordCost"
  > {
  /** Absolute path of the runtime. */
  readonly node: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user who runs this. */
  readonly userId: () => number | undefined;
  /** Hears that the agent is ready, and that it stops. */
  readonly serviceManager?: ServiceManager;
  /** Calls `reload` whenever the host file is to be read again. */
  readonly onReload?: (reload: () => void) => void;
}

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
