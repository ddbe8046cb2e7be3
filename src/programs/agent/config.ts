import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import { jsonIn } from "../../contract/text/json-of.ts";
import type { Finding, SettingsChange } from "../../contract/types.ts";
import type { Host, KeyExchangeOptions } from "../../host/host.ts";
import type { Reread } from "../../http/handlers/system.ts";
import { usualDirectories } from "../../installer/files/release-directories.ts";
import { clockAddon } from "../build.ts";
import { type HostDecisions, noDecisions, usualHostFile } from "../host-file/host-file.ts";
import type { Program, ProgramParts } from "../program.ts";
import type { InstallerAccess } from "./installer-client.ts";
import type { OpenClock } from "./wire-clock.ts";

type ForRooms = HostDecisions["forRooms"];

export interface AgentConfig extends ProgramParts, ForRooms {
  stateDirectory: string;
  /** The state is only read: without its lock, and nothing is written. */
  readsOnly?: boolean;
  /** The process ends with one command, so a change held in memory would be lost at once. */
  forOneCommand?: boolean;
  runDirectory: string;
  /** The initial settings of a new device, which override the defaults. */
  initialSettings: SettingsChange;
  /** The directory of systemd's credentials; undefined if there are none. */
  credentialsDirectory: string | undefined;
  /** The directory in which the product's units find the agent; undefined: systemd has made none. */
  productDirectory?: string | undefined;
  /** The file of the sealing key, if no credential gives one. */
  sealKeyFile: string;
  /** The host's own clock may be set; otherwise it is only measured. */
  maySteerClock: boolean;
  /** The root helper may be asked. */
  mayAskRoot: boolean;
  /** Absolute path of clock-steering.node. */
  clockAddon: string;
  /** Absolute path of the runtime. */
  node: string;
  openClock?: OpenClock;
  /** Ports that replace those of this host. */
  host?: Partial<Host>;
  hostFile: string;
  https: HostDecisions["https"];
  /** The present finding about the host file; null: there is none. */
  hostFileTrouble?: () => Finding | null;
  /** Reads the host file again; absent if no agent runs. */
  reload?: () => Promise<Reread>;
  /** The installer's place, and the way in which the agent starts it; null: there is none. */
  installer: InstallerAccess | null;
  /** Only loopback addresses: plain HTTP goes no further. */
  listen: { host: string; port: number };
  /** Further names of this device, besides its host name, its addresses and localhost. */
  hostNames: readonly string[];
  /** Addresses and CIDR ranges of proxies that may name the client of a request. */
  trustedProxies: readonly string[];
}

/** The part of it that the rooms need, also in a command that works without the agent. */
export type RoomsConfig = Omit<AgentConfig, "listen" | "hostNames" | "trustedProxies">;

/** root:steward 0640. Without this key a copy of the state does not reveal the secrets in it. */
export const usualSealKeyFile = "/etc/steward/seal.key";
export const usualStateDirectory = "/var/lib/steward";

/** The places of the sealing keys: those that root gives, and the agent's own in its state. */
export function sealKeyPlaces(
  config: Pick<RoomsConfig, "credentialsDirectory" | "sealKeyFile" | "stateDirectory">,
) {
  const { credentialsDirectory, sealKeyFile: path, stateDirectory } = config;
  return { credentialsDirectory, path, fallbackPath: join(stateDirectory, ".seal.key") };
}

export function keyExchangeOf(config: RoomsConfig): KeyExchangeOptions {
  const { time, runDirectory: directory, node, assetsDirectory } = config;
  const script = join(assetsDirectory, "nts-key-exchange.js");
  return { caFile: time.caFile ?? undefined, own: time.own, directory, node, script };
}

/** The configuration of the rooms for a state directory, without root's decisions. */
export async function agentConfig(
  program: Program,
  state: string,
  run: string,
  initialSettings?: string,
): Promise<RoomsConfig> {
  const { https, forRooms } = noDecisions();
  return {
    ...program,
    stateDirectory: state,
    runDirectory: run,
    initialSettings: await readInitialSettings(initialSettings),
    credentialsDirectory: program.environment.CREDENTIALS_DIRECTORY,
    // The second of the unit (RuntimeDirectory=).
    productDirectory: program.environment.RUNTIME_DIRECTORY?.split(":")[1],
    sealKeyFile: usualSealKeyFile,
    // Only for the service's own state: a trial in another directory touches neither the host's clock nor root's files.
    maySteerClock: state === usualStateDirectory,
    mayAskRoot: state === usualStateDirectory,
    installer: state === usualStateDirectory ? { directories: usualDirectories, program: null } : null,
    clockAddon: clockAddon(program.assetsDirectory),
    hostFile: usualHostFile,
    https,
    ...forRooms,
  };
}

/** The initial settings from the maker of the product. They are validated when they are merged. Throws `validation_failed`. */
export async function readInitialSettings(path: string | undefined): Promise<SettingsChange> {
  if (!path) return {};
  const refuse = (why: string) =>
    new StewardError("validation_failed", `STEWARD_INITIAL_SETTINGS names ${path}, which ${why}.`);
  try {
    return jsonIn(readFileSync(path), refuse) as SettingsChange;
  } catch (error) {
    if (error instanceof StewardError) throw error;
    const { whyUnreadable } = await import("../../host/linux/host-file/trusted-file.ts");
    throw refuse(whyUnreadable(path, error, {}) ?? "does not exist");
  }
}

/** The product's services: those that releases are put to work with, and those whose log may be read. A template has no state. */
export function servicesOf({ update: { apply }, logUnits }: RoomsConfig): string[] {
  const ofPlans = [apply.rules?.unit, apply.binary?.unit].flatMap((unit) => unit ?? []);
  return [...new Set([...ofPlans, ...logUnits])].filter(
    (unit) => unit !== "steward.service" && !unit.includes("@."),
  );
}
