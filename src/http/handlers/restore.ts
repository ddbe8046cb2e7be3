import type { restoreOperations } from "../../contract/operations/restore.ts";
import type { Restorer } from "../../device/backup/restore.ts";
import { type Authorise, type Call, type HandlersOf, judged } from "../call.ts";

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
