import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type InputError, messageOf, StewardError } from "../../contract/errors.ts";
import { finding, line } from "../../contract/finding.ts";
import { plainHostFile as plainDocument } from "../../contract/host-file/members.ts";
import { textOf } from "../../contract/text/text-of.ts";
import type { Finding } from "../../contract/types.ts";
import type { AsAgent, TrustedOwners } from "../../host/host.ts";
import { updateRootFile } from "../../host/linux/host-file/installed-root.ts";
import { readTrustedFile } from "../../host/linux/host-file/trusted-file.ts";
import { decisionsOf, type HostFile, type UpdateDecisions } from "./decisions.ts";

export const usualHostFile = "/etc/steward/steward.json";

/** Only root can write it. It is outside of /etc, which may be read-only. */
const usualKeptFile = "/var/lib/steward-host/steward.json";

export interface HostUpdateConfig extends UpdateDecisions, TrustedOwners {
  rootFile: string;
  /**
   * The reason why the host file cannot be used. Then the agent does not know its product, and checks for no updates.
   */
  unusable?: string | undefined;
}

export type HostDecisions = ReturnType<typeof withPlaces>;

export interface DecisionsInForce {
  readonly decisions: HostDecisions;
  /** The finding about the host file; null: there is none. */
  readonly trouble: Finding | null;
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

export interface ReadHostFile {
  /** null: there is none. */
  readonly text: string | null;
  readonly decisions: HostDecisions;
  /** JSON pointers of members that have no effect. */
  readonly unknown: readonly string[];
}

/** The user who runs this; and for root the rights of the agent, in whose place it judges. */
export type Reader = readonly [uid: number | undefined, asAgent?: AsAgent | undefined];

/** Reads the host file; absent is empty. Throws HostFileRefused if not valid, or if others may write it or its files. */
export async function readHostFile(path: string, ...reader: Reader): Promise<ReadHostFile> {
  const owners = ownersOf(path, ...reader);
  const { text, host, unknown, ofNamedFiles } = await readDocument(path, owners);
  if (ofNamedFiles.length > 0) throw new HostFileRefused(path, ofNamedFiles, unknown);
  return { text, decisions: withPlaces(path, owners, host), unknown };
}

/**
 * The decisions of the host file. If only files that it names cannot be used, without the parts that they are for; else
 * those that were last accepted and kept, if they can be used; or the safest: loopback only, and no product. So a mistake
 * in the file, or a logo, locks out neither its owner nor the device.
 */
export async function readDecisionsInForce(path: string, ...reader: Reader): Promise<DecisionsInForce> {
  try {
    const { decisions, unknown } = await readHostFile(path, ...reader);
    return { decisions, trouble: unknownFinding(path, unknown), refusal: null };
  } catch (error) {
    const refusal = asRefusal(path, error);
    const used =
      (await readUsable(path, path, reader)) ?? (await readUsable(path, keptHostFile(path), reader));
    const decisions =
      used ?? withoutUpdates(withPlaces(path, ownersOf(path, ...reader), plainHostFile()), refusal.message);
    const trouble = await refusedFinding(path, refusal, used !== null, ...reader);
    return { decisions, refusal, trouble };
  }
}

/** The path of the last accepted one; for a host file outside of its usual place, next to that file. */
export function keptHostFile(path: string): string {
  return resolve(path) === usualHostFile ? usualKeptFile : `${path}.accepted`;
}

/** The decisions of `file`, without the parts whose files cannot be used; null: there is none, or nothing of it can be used. */
async function readUsable(path: string, file: string, reader: Reader): Promise<HostDecisions | null> {
  const read = await triedDocument(file, path, reader);
  if (read === null || read.text === null) return null;
  const { host, ofNamedFiles } = read;
  const isOf = (part: string) => ofNamedFiles.some(({ pointer }) => pointer.startsWith(part));
  // Connections refuse by themselves, as does a secret, which is read at each use.
  const { maker } = host;
  const usable: HostFile = {
    ...host,
    maker: maker && {
      ...maker,
      ...(isOf("/maker/mark") && { mark: null }),
      ...(isOf("/maker/picture") && { picture: null }),
    },
  };
  const decisions = withPlaces(path, ownersOf(path, ...reader), usable);
  return isOf("/update/")
    ? withoutUpdates(decisions, new HostFileRefused(path, ofNamedFiles).message)
    : decisions;
}

/** The host file of this path, or its kept copy, as `file`; null: it cannot be used. */
export function triedDocument(file: string, path: string, reader: Reader): Promise<ReadDocument | null> {
  return readDocument(file, ownersOf(path, ...reader)).catch(() => null);
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

/** `isAccepted`: the rest of it is in force, or an earlier one. */
export async function refusedFinding(
  path: string,
  refusal: HostFileRefused,
  isAccepted: boolean,
  ...reader: Reader
): Promise<Finding> {
  const facts = { path, faults: refusal.faults.map((fault) => wordsOf(fault, path)) };
  // The words of a fault give the line that gives a file back to root, or opens it to the agent.
  const repairs = refusal.faults.flatMap(({ detail }) => detail.split("As root: ")[1] ?? []);
  const isRepaired = repairs.length > 0;
  const kept = await triedDocument(keptHostFile(path), path, reader);
  const isKept = kept !== null && kept.text !== null && kept.ofNamedFiles.length === 0;
  const [again, restore] = ["systemctl restart steward.service", "steward host-file restore"];
  const isFile = (await stat(path).catch(() => null))?.isFile() === true;
  if (repairs.length === 0) repairs.push(isFile ? `editor ${path}` : `mv --backup=t ${path} ${path}.refused`);
  const typed = isKept && !isRepaired ? restore : [...new Set(repairs), again].join("; ");
  if (!isAccepted) return finding("host_file_without_copy", facts, "No accepted one is kept.", line(typed));
  const particulars = `Then \`${again}\`${isKept ? `; or \`${restore}\` puts the last accepted one back` : ""}.`;
  return finding("host_file_refused", facts, particulars, line(typed));
}

/** A disk that cannot be read refuses the file as well. */
function asRefusal(path: string, error: unknown): HostFileRefused {
  if (error instanceof HostFileRefused) return error;
  const why = messageOf(error);
  return new HostFileRefused(path, [{ pointer: "", code: "unreadable", detail: `cannot be read: ${why}` }]);
}

/** Bytes: far more than a host file needs, which has a few kilobytes at most. */
const maximumBytes = 256 * 1024;

type ReadDocument = Awaited<ReturnType<typeof readDocument>>;

async function readDocument(path: string, owners: TrustedOwners) {
  const refuse = (where: string, what: string) => {
    const detail = where === path ? what : `is not safe: ${where} ${what}`;
    return new HostFileRefused(path, [{ pointer: "", code: "file", detail }]);
  };
  const bytes = await readTrustedFile(path, { ...owners, maximumBytes }, refuse);
  if (bytes === null) return { text: null, host: plainHostFile(), unknown: [], ofNamedFiles: [] };
  // The reader of logs, a program in C, reads it as well.
  if (bytes[0] === 0xff || bytes[0] === 0xfe) throw refuse(path, "is not UTF-8. Save it as UTF-8");
  const text = textOf(bytes, { refuse: (why) => refuse(path, why) });
  // Parts of their own, which a device without a host file does not load.
  const [{ checkHostFile }, { namedFileFaults }] = [
    await import("./check.ts"),
    await import("./named-files.ts"),
  ];
  const { document, faults, unknown } = checkHostFile(text);
  if (document === null) throw new HostFileRefused(path, faults, unknown);
  // Now, and not days later at the first check of the update server.
  const ofNamedFiles = await namedFileFaults(document, owners);
  return { text, host: decisionsOf(document, ofNamedFiles), unknown, ofNamedFiles };
}

/** The decisions without a host file, or with an empty one. */
export function plainHostFile(): HostFile {
  return decisionsOf(plainDocument);
}

export function noDecisions(): HostDecisions {
  return withPlaces(usualHostFile, {}, plainHostFile());
}

/** At its usual place the file must belong to root; anywhere else, for a trial, it may belong to the user who runs this. */
function ownersOf(path: string, ...[uid, asAgent]: Reader): TrustedOwners {
  return resolve(path) === usualHostFile ? { asAgent } : { own: uid };
}

function withPlaces(path: string, owners: TrustedOwners, host: HostFile) {
  const { names, trustedProxies, logUnits, kernelRescue, supportUntil, notify } = host;
  /** The directory of the administrator's certificates, and the users whose files are trusted there. */
  const https = { ...host.https, ...owners, directory: join(dirname(resolve(path)), "tls") };
  const product = { ...host.product, ...owners };
  const maker = host.maker && { ...host.maker, ...owners };
  const oidc = host.oidc && { ...host.oidc, ...owners };
  const telemetry = { ...host.telemetry, ...owners };
  const time = { ...host.time, ...owners };
  const update: HostUpdateConfig = { ...host.update, ...owners, rootFile: updateRootFile(path) };
  return {
    names,
    trustedProxies,
    https,
    kernelRescue,
    forRooms: { logUnits, product, supportUntil, maker, notify, telemetry, time, update, oidc },
  };
}
