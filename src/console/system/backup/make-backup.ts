import { t } from "../../catalogue/words.ts";
import { exchange } from "../../client/call.ts";
import { fileOf } from "../../client/download.ts";
import { Fault } from "../../client/problem.ts";

/** Gathers a backup that the agent makes: a part does not open. `onBytes`: those so far. Throws as `exchange` does. */
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
    throw new Fault(() => t.machine.backupBroken, cause);
  }
}

/** `Branch-Hamburg-2026-11-28T0130Z.age`: without a device's id, so that `steward backup --keep` never deletes it. */
export function fileNameOf(deviceName: string, at: Date, ending: string): string {
  const name = deviceName.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^[-.]+|-+$/g, "") || "device";
  return `${name}-${at.toISOString().slice(0, 16).replace(":", "")}Z${ending}`;
}
