import type { restoreOperations } from "../../contract/operations/restore.ts";
import type { SealingKey } from "../../device/backup/age.ts";
import type { Backups } from "../../device/backup/backups.ts";
import type { Restorer } from "../../device/backup/restore.ts";
import { type Authorise, type Call, type Handlers, type HandlersOf, judged } from "../call.ts";

/**
 * Makes backups of the device. `open` loads the code for that, which most agents need once a day at most; `arrived` is
 * called when a backup has. The command line says that itself, when it has stored it or its pipe is empty: its connection
 * ends in the same way when it is killed.
 */
export function createBackupHandlers(
  open: () => Promise<Backups>,
  arrived: () => void,
): Pick<Handlers, "makeBackup" | "confirmBackup"> {
  return {
    makeBackup: async ({ actor, body, note }: Call<"makeBackup">) => {
      const { recipients = [], passphrase = "" } = body;
      const key: SealingKey = recipients.length > 0 ? { recipients } : { passphrase };
      const pieces = await (await open()).make(key);
      note({ details: { recipients: recipients.length } });
      return { pieces, taken: actor.kind === "local-root" ? undefined : arrived };
    },
    confirmBackup: () => {
      arrived();
      return undefined;
    },
  };
}

/** Makes this device of a backup. `open` loads the code for that, which most agents never need. */
export function createRestoreHandlers(
  open: () => Promise<Restorer>,
  authorise: Authorise,
): HandlersOf<typeof restoreOperations> {
  return {
    receiveBackup: judged(async ({ body }: Call<"receiveBackup">) => (await open()).receive(body), authorise),
    restoreBackup: judged(async ({ body }: Call<"restoreBackup">) => (await open()).restore(body), authorise),
  };
}
