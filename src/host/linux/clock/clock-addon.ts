import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { endianness } from "node:os";
import { systemErrorCode } from "../../../contract/errors.ts";

/** The functions of clock-steering.node. Its C sources describe them and the order of the values in the arrays. */
export interface ClockAddon {
  now(out: Float64Array): void;
  read(out: Float64Array): void;
  step(seconds: number): void;
  slew(seconds: number): void;
  setFrequency(ppm: number): number;
  setQuality(isSynchronised: number, maxErrorSeconds: number, estErrorSeconds: number, leap: number): void;
  keepCapabilities(): void;
  keepTimeCapabilityAlone(): boolean;
  setuid(id: number): void;
  setgid(id: number): void;
  seteuid(id: number): void;
  setegid(id: number): void;
  setgroups(groups: readonly (number | string)[]): void;
  notify(path: string, text: string): void;
  sendLocal(path: string, bytes: Uint8Array): void;
  tryLock(descriptor: number): boolean;
  boundBuffers(descriptor: number, bytes: number): void;
  readPeer(descriptor: number, out: Float64Array): void;
  openDatagrams(address: string, port: number): number;
  sendDatagram(descriptor: number, packet: Uint8Array): void;
  datagramAge(descriptor: number): number;
}

const functionNames: readonly (keyof ClockAddon)[] = [
  "now",
  "read",
  "step",
  "slew",
  "setFrequency",
  "setQuality",
  "keepCapabilities",
  "keepTimeCapabilityAlone",
  "setuid",
  "setgid",
  "seteuid",
  "setegid",
  "setgroups",
  "notify",
  "sendLocal",
  "tryLock",
  "boundBuffers",
  "readPeer",
  "openDatagrams",
  "sendDatagram",
  "datagramAge",
];

/** The addon, or null if it is absent or unusable. `reportFailure` is called with the reason if it is unusable. */
export function openClockAddon(path: string, reportFailure?: (cause: unknown) => void): ClockAddon | null {
  try {
    return loadClockAddon(path);
  } catch (cause) {
    if (systemErrorCode(cause) !== "ENOENT") reportFailure?.(cause);
    return null;
  }
}

/** Loads the addon. Throws if it is absent (ENOENT), truncated, built for another machine, or of another version. */
export function loadClockAddon(path: string): ClockAddon {
  refuseCutOff(path);
  const loaded: unknown = createRequire(path)(path);
  if (!isClockAddon(loaded))
    throw new Error(`${path} belongs to another version of this program: it lacks a function`);
  return loaded;
}

function isClockAddon(loaded: unknown): loaded is ClockAddon {
  if (typeof loaded !== "object" || loaded === null) return false;
  const functions = new Map(Object.entries(loaded));
  return functionNames.every((name) => typeof functions.get(name) === "function");
}

/** The loader maps a file unchecked: one cut off would end the process (SIGBUS). The sections are at its end (elf(5)). */
function refuseCutOff(path: string): void {
  const file = openSync(path, "r");
  try {
    const header = new DataView(new ArrayBuffer(64));
    readSync(file, header, 0, header.byteLength, 0);
    const isWide = header.getUint8(4) === 2;
    const isLittle = endianness() === "LE";
    const start = isWide ? header.getBigUint64(40, isLittle) : BigInt(header.getUint32(32, isLittle));
    const entries = isWide ? 58 : 46;
    const bytes = header.getUint16(entries, isLittle) * header.getUint16(entries + 2, isLittle);
    const { size } = fstatSync(file);
    if (start + BigInt(bytes) > size) throw new Error(`${path} is truncated: it has ${size} bytes`);
  } finally {
    closeSync(file);
  }
}

/**
 * Lets `changeUser` turn root into another user, and keeps only CAP_SYS_TIME, permitted and effective, on the main
 * thread; threads that ran before keep no capability. Returns false if nothing is kept, because root did not have it or
 * the addon cannot be loaded (the driver, opened afterwards, reports which). Throws the errors of `changeUser` and of
 * system calls.
 */
export function changeUserKeepingTimeCapability(addonPath: string, changeUser: () => void): boolean {
  const addon = openClockAddon(addonPath);
  addon?.keepCapabilities();
  changeUser();
  // Until this call every capability of root is still permitted.
  return addon?.keepTimeCapabilityAlone() ?? false;
}
