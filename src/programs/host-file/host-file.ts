import { dirname, join, resolve } from "node:path";
import { type InputError, messageOf, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { finding, line } from "../../contract/finding.ts";
import { plainHostFile as plainDocument } from "../../contract/host-file/plain-host-file.ts";
import type { Finding } from "../../contract/types.ts";
import type { TrustedOwners } from "../../host/host.ts";
import { updateRootFile } from "../../host/linux/host-file/installed-root.ts";
import { readTrustedFile } from "../../host/linux/host-file/trusted-file.ts";
import type { SignInProvider } from "../../host/provider-ports.ts";
import {
  decisionsOf,
  type HostFile,
  type HttpsDecisions,
  type MakerDecisions,
  type NotifyDecisions,
  type TelemetryDecisions,
  type TimeDecisions,
  type UpdateDecisions,
} from "./decisions.ts";

export const usualHostFile = "/etc/steward/steward.json";

/** Only root can write it. It is outside of /etc, which may be read-only. */
const usualKeptFile = "/var/lib/steward-host/steward.json";

/** Root's decisions about updates, with the path of the root of trust. */
export interface HostUpdateConfig extends UpdateDecisions, TrustedOwners {
  rootFile: string;
  /**
   * The reason why the host file cannot be used. Then the agent does not know its product, and checks for no updates.
   */
  unusable?: string | undefined;
}

/** The directory of the administrator's certificates, and the users whose files are trusted there. */
export interface InstalledCertificates extends TrustedOwners {
  readonly directory: string;
}

/** Root's decisions about this device. */
export interface HostDecisions {
  names: readonly string[];
  trustedProxies: readonly string[];
  https: HttpsDecisions & InstalledCertificates;
  kernelRescue: boolean;
  forRooms: {
    logUnits: readonly string[];
    product: string;
    supportUntil: string | null;
    notify: NotifyDecisions;
    telemetry: TelemetryDecisions & TrustedOwners;
    time: TimeDecisions & TrustedOwners;
    update: HostUpdateConfig;
    maker: (MakerDecisions & TrustedOwners) | null;
    oidc: (SignInProvider & TrustedOwners) | null;
  };
}

/** The decisions that are in force. */
export interface DecisionsInForce {
  readonly decisions: HostDecisions;
  /** The finding about the host file; null: there is none. */
  readonly trouble: Finding | null;
  /** The refusal of a host file that is not in force. */
  readonly refusal: HostFileRefused | null;
}

/** `validation_failed`, with every fault of the host file. */
export class HostFileRefused extends StewardError {
  readonly faults: readonly InputError[];
  /** JSON pointers of further members that are not known. */
  readonly unknown: readonly string[];

  constructor(path: string, faults: readonly InputError[], unknown: readonly string[] = []) {
    const isNamed = faults.some(({ pointer }) => pointer === "");
    const words = faults.map((fault) => wordsOf(fault, path)).join("; ");
    const text = `The host file cannot be used: ${isNamed ? "" : `${path}: `}${words}.`;
    super("validation_failed", text);
    this.name = "HostFileRefused";
    this.faults = faults;
    this.unknown = unknown;
  }
}

/** The pointer is empty for the file as a whole. */
function wordsOf({ pointer, detail }: InputError, path: string): string {
  return `${pointer || path} ${detail}`;
}

/** The host file as it was read. */
export interface ReadHostFile {
  /** null: there is none. */
  readonly text: string | null;
  readonly decisions: HostDecisions;
  /** JSON pointers of members that have no effect. */
  readonly unknown: readonly string[];
}

/**
 * Reads the host file; an absent one counts as an empty one. `uid`: the user who runs this. Throws HostFileRefused if it
 * is not valid, or if another user than root could have written it or the certificates or programs that it names.
 */
export async function readHostFile(path: string, uid: number | undefined): Promise<ReadHostFile> {
  const owners = ownersOf(path, uid);
  const { text, host, unknown, ofNamedFiles } = await readDocument(path, owners);
  if (ofNamedFiles.length > 0) throw new HostFileRefused(path, ofNamedFiles, unknown);
  return { text, decisions: withPlaces(path, owners, host), unknown };
}

/** The decisions of a host file that is in force. Throws the errors of `readHostFile`. */
export async function readDecisions(path: string, uid: number | undefined): Promise<HostDecisions> {
  return (await readHostFile(path, uid)).decisions;
}

/**
 * The decisions of the host file. If it cannot be used, those that were last accepted and kept, without the parts whose
 * certificates or programs cannot be used; if none are kept, the safest: loopback only, and no product. So a mistake in
 * the file locks out neither its owner nor the device.
 */
export async function readDecisionsInForce(path: string, uid: number | undefined): Promise<DecisionsInForce> {
  try {
    const { decisions, unknown } = await readHostFile(path, uid);
    return { decisions, trouble: unknownFinding(path, unknown), refusal: null };
  } catch (error) {
    const refusal = asRefusal(path, error);
    const kept = await readKept(path, uid);
    const decisions =
      kept ?? withoutUpdates(withPlaces(path, ownersOf(path, uid), plainHostFile()), refusal.message);
    return { decisions, refusal, trouble: refusedFinding(path, refusal, kept !== null) };
  }
}

/** The path of the last accepted one; for a host file outside of its usual place, next to that file. */
export function keptHostFile(path: string): string {
  return resolve(path) === usualHostFile ? usualKeptFile : `${path}.accepted`;
}

async function readKept(path: string, uid: number | undefined): Promise<HostDecisions | null> {
  const owners = ownersOf(path, uid);
  try {
    const { text, host, ofNamedFiles } = await readDocument(keptHostFile(path), owners);
    if (text === null) return null;
    const decisions = withPlaces(path, owners, host);
    const isOf = (part: string) => ofNamedFiles.some(({ pointer }) => pointer.startsWith(`/${part}/`));
    const usable = isOf("update")
      ? withoutUpdates(decisions, new HostFileRefused(path, ofNamedFiles).message)
      : decisions;
    const { maker } = usable.forRooms;
    const without = {
      ...(isOf("maker") && { maker: maker && { ...maker, mark: null, picture: null } }),
      ...(isOf("oidc") && { oidc: null }),
      ...(isOf("telemetry") && { telemetry: { ...owners, otlp: null, syslog: null } }),
    };
    return { ...usable, forRooms: { ...usable.forRooms, ...without } };
  } catch {
    // Root has written it, so only a failing disk or an older release can make it unusable.
    return null;
  }
}

/** The text of the kept copy; undefined: it cannot be used. null: none is kept. */
export async function textOfKept(path: string, uid: number | undefined): Promise<string | null | undefined> {
  const read = await readDocument(keptHostFile(path), ownersOf(path, uid)).catch(() => undefined);
  return read?.text;
}

function withoutUpdates({ forRooms, ...others }: HostDecisions, unusable: string): HostDecisions {
  return { ...others, forRooms: { ...forRooms, update: { ...forRooms.update, unusable } } };
}

/** Null: this release knows all members. */
export function unknownFinding(path: string, members: readonly string[]): Finding | null {
  if (members.length === 0) return null;
  const particulars = "The rest is in force. Correct a misspelt one; a newer release may know the others.";
  const places = line("steward host-file check");
  return finding("host_file_members_unknown", { path, members: [...members] }, particulars, places);
}

/** `isAccepted`: an earlier one is in force. */
export function refusedFinding(path: string, refusal: HostFileRefused, isAccepted: boolean): Finding {
  const facts = { path, faults: refusal.faults.map((fault) => wordsOf(fault, path)) };
  // If another user could have written it, the words of the fault give the line that gives it back to root.
  const [repair] = refusal.faults.flatMap(({ detail }) => detail.split("As root: ")[1] ?? []);
  if (isAccepted) {
    const particulars =
      "Then `systemctl reload steward.service`; or `steward host-file restore` puts the accepted one back.";
    return finding(
      "host_file_refused",
      facts,
      particulars,
      repair === undefined
        ? line("steward host-file restore")
        : line(`${repair}; systemctl reload steward.service`),
    );
  }
  const mended = line(`${repair ?? `editor ${path}`}; systemctl restart steward.service`);
  return finding("host_file_without_copy", facts, "No accepted one is kept.", mended);
}

/** A disk that cannot be read refuses the file as well. */
function asRefusal(path: string, error: unknown): HostFileRefused {
  if (error instanceof HostFileRefused) return error;
  const why = messageOf(error);
  return new HostFileRefused(path, [{ pointer: "", code: "unreadable", detail: `cannot be read: ${why}` }]);
}

/** Bytes: far more than a host file needs, which has a few kilobytes at most. */
const maximumBytes = 256 * 1024;

interface ReadDocument {
  readonly text: string | null;
  readonly host: HostFile;
  readonly unknown: readonly string[];
  readonly ofNamedFiles: readonly InputError[];
}

async function readDocument(path: string, owners: TrustedOwners): Promise<ReadDocument> {
  const refuse = (where: string, what: string) => {
    const detail = where === path ? what : `is not safe: ${where} ${what}`;
    return new HostFileRefused(path, [{ pointer: "", code: "file", detail }]);
  };
  const bytes = await readTrustedFile(path, { ...owners, maximumBytes }, refuse).catch((error: unknown) => {
    throw systemErrorCode(error) === "EACCES" ? refuse(path, closed(path)) : error;
  });
  if (bytes === null) return { text: null, host: plainHostFile(), unknown: [], ofNamedFiles: [] };
  const text = Buffer.from(bytes).toString("utf8");
  const { judgeHostFile } = await import("./judge.ts");
  const { document, faults, unknown, ofNamedFiles } = await judgeHostFile(text, owners);
  if (document === null) throw new HostFileRefused(path, faults, unknown);
  return { text, host: decisionsOf(document), unknown, ofNamedFiles };
}

function closed(path: string): string {
  return `cannot be read by the user of the agent. As root: chmod a+rx ${dirname(path)}; chmod a+r ${path}`;
}

/** The decisions without a host file, or with an empty one. */
export function plainHostFile(): HostFile {
  return decisionsOf(plainDocument);
}

/** The decisions if no host file is read. */
export function noDecisions(): HostDecisions {
  return withPlaces(usualHostFile, {}, plainHostFile());
}

/** At its usual place the file must belong to root; anywhere else, for a trial, it may belong to the user who runs this. */
function ownersOf(path: string, uid: number | undefined): TrustedOwners {
  return resolve(path) === usualHostFile ? {} : { own: uid };
}

function withPlaces(path: string, owners: TrustedOwners, host: HostFile): HostDecisions {
  const { names, trustedProxies, logUnits, product, kernelRescue, supportUntil, notify } = host;
  const https = { ...host.https, ...owners, directory: join(dirname(resolve(path)), "tls") };
  const maker = host.maker && { ...host.maker, ...owners };
  const oidc = host.oidc && { ...host.oidc, ...owners };
  const telemetry = { ...host.telemetry, ...owners };
  const time = { ...host.time, ...owners };
  const update = { ...host.update, ...owners, rootFile: updateRootFile(path) };
  return {
    names,
    trustedProxies,
    https,
    kernelRescue,
    forRooms: { logUnits, product, supportUntil, maker, notify, telemetry, time, update, oidc },
  };
}
