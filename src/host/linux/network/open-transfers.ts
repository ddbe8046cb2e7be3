import type { TransferOptions } from "../../host.ts";
import type { Transfers } from "../../ports.ts";

/** Transfers whose part of the program is loaded with the first of them: an agent at rest makes none. */
export function openTransfers(options: TransferOptions): Transfers {
  let opened: Promise<Transfers> | undefined;
  return {
    open: async (address, request) => {
      opened ??= import("./transfers.ts").then(({ createTransfers }) => createTransfers(options));
      return (await opened).open(address, request);
    },
  };
}
