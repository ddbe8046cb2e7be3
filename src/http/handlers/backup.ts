import type { SealingKey } from "../../backup/age.ts";
import type { Backups } from "../../backup/backups.ts";
import type { Call, Handlers } from "../call.ts";

/**
 * Makes backups of the device. `open` loads the code for that, which most agents need once a day at most; `made` is called
 * when a backup has left the device as a whole.
 */
export function createBackupHandlers(
  open: () => Promise<Backups>,
  made: () => void,
): Pick<Handlers, "makeBackup"> {
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
