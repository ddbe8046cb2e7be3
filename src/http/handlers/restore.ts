import type { Restorer } from "../../backup/restore.ts";
import type { restoreOperations } from "../../contract/operations/restore.ts";
import { type Authorise, type Call, type HandlersOf, judged } from "../call.ts";

export interface RestoreHandlersOptions {
  /** Loads the code for that, which most agents never need. */
  readonly open: () => Promise<Restorer>;
  readonly authorise: Authorise;
}

/** Makes this device of a backup. */
export function createRestoreHandlers({
  open,
  authorise,
}: RestoreHandlersOptions): HandlersOf<typeof restoreOperations> {
  return {
    receiveBackup: judged(async ({ body }: Call<"receiveBackup">) => (await open()).receive(body), authorise),
    restoreBackup: judged(async ({ body }: Call<"restoreBackup">) => (await open()).restore(body), authorise),
  };
}
