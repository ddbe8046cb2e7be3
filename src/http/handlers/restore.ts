import type { Restorer } from "../../backup/restore.ts";
import type { restoreOperations } from "../../contract/operations/restore.ts";
import type { HandlersOf } from "../call.ts";

/** Makes this device of a backup. `open` loads the code for that, which most agents never need. */
export function createRestoreHandlers(open: () => Promise<Restorer>): HandlersOf<typeof restoreOperations> {
  return {
    receiveBackup: async ({ body }) => (await open()).receive(body),
    restoreBackup: async ({ body }) => (await open()).restore(body),
  };
}
