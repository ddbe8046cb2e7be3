import type { Restorer } from "../../backup/restore.ts";
import type { restoreOperations } from "../../contract/operations/restore.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Call, HandlersOf } from "../call.ts";

export interface RestoreHandlersOptions {
  /** Loads the code for that, which most agents never need. */
  readonly open: () => Promise<Restorer>;
  /** Throws unless the caller may. It is asked before a byte of an upload is read. */
  readonly authorise: (
    call: Pick<Call<OperationId>, "actor" | "context" | "setupToken">,
  ) => void | Promise<void>;
}

/** Makes this device of a backup. */
export function createRestoreHandlers({
  open,
  authorise,
}: RestoreHandlersOptions): HandlersOf<typeof restoreOperations> {
  return {
    receiveBackup: async (call) => {
      await authorise(call);
      return (await open()).receive(call.body);
    },
    restoreBackup: async (call) => {
      await authorise(call);
      return (await open()).restore(call.body);
    },
  };
}
