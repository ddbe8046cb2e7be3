import { exchange } from "../../client/call.ts";
import { fileOf } from "../../client/download.ts";

/** The connection ended before the file did. */
export class BrokenOff extends Error {}

/** Gathers a backup that the agent makes: a part does not open. `onBytes`: those so far. Throws BrokenOff, as `exchange`. */
export async function makeBackup(
  passphrase: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const response = await exchange("makeBackup", { body: { passphrase } }, { signal, patience: 90 });
  try {
    return await fileOf(response, onBytes);
  } catch (cause) {
    signal.throwIfAborted();
    throw new BrokenOff("the backup broke off", { cause });
  }
}

/** `Branch-Hamburg-2026-11-28T0130Z.age`: without a device's id, so that `steward backup --keep` never deletes it. */
export function fileNameOf(deviceName: string, at: Date, ending: string): string {
  const name = deviceName.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^[-.]+|-+$/g, "") || "device";
  return `${name}-${at.toISOString().slice(0, 16).replace(":", "")}Z${ending}`;
}
