import type { SettingsChange } from "../../contract/types.ts";
import type { Host, TrustedOwners } from "../../host/host.ts";
import type { UpdateDecisions } from "../../host/linux/host-file/host-file-update.ts";
import type { Log } from "../../journal/logs/log.ts";
import type { OwnLines } from "../../journal/logs/own-lines.ts";
import type { Build } from "../../system/version.ts";
import type { InstallerAccess } from "./installer-client.ts";
import type { OpenClock } from "./wire-clock.ts";

/** All that the agent is started with. */
export interface AgentConfig {
  stateDirectory: string;
  /** The state is only looked at, without its lock and without a write. */
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
  /** Absolute path of clock-steering.node. */
  clockAddon: string;
  /** Absolute paths of the runtime and of self-check.js. */
  selfCheck: { node: string; script: string };
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
  /** What this device runs, as releases name it. */
  product: string;
  update: HostUpdateConfig;
  /** Where root's side of updates is, and how it is asked; null: there is none. */
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

/** What root has decided about updates, and where its root of trust lies. */
export interface HostUpdateConfig extends UpdateDecisions, TrustedOwners {
  rootFile: string;
  /** Why the host file cannot be used; then nobody knows what this device runs, and nothing is looked for. */
  unusable?: string | undefined;
}
