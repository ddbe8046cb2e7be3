import type { SealingKey } from "../../backup/age.ts";
import type { Backups } from "../../backup/backups.ts";
import type { Call, Handlers } from "../call.ts";

export interface BackupHandlersOptions {
  /** Loads the code for backups, which most agents need once a day at most. */
  open: () => Promise<Backups>;
  /** Called when a backup has left the device as a whole. */
  made: () => void;
}

/** Makes backups of the device. */
export function createBackupHandlers({ open, made }: BackupHandlersOptions): Pick<Handlers, "makeBackup"> {
  return {
    makeBackup: async ({ body, note }: Call<"makeBackup">) => {
      const { recipients = [], passphrase = "" } = body;
      const key: SealingKey = recipients.length > 0 ? { recipients } : { passphrase };
      const pieces = await (await open()).make(key);
      note({ details: { recipients: recipients.length } });
      return { pieces, sent: made };
    },
  };
}
