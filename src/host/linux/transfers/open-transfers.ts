import type { TransferOptions } from "../../host.ts";
import type { ServerConnections, Transfers } from "../../ports.ts";
import type { ServerConnectionOptions } from "./connections.ts";

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

/** The same for connections: few devices make any. */
export function openConnections(options: ServerConnectionOptions): ServerConnections {
  let opened: Promise<ServerConnections> | undefined;
  const connections = (): Promise<ServerConnections> => {
    opened ??= import("./connections.ts").then(({ createServerConnections }) =>
      createServerConnections(options),
    );
    return opened;
  };
  return {
    open: async (server, signal) => (await connections()).open(server, signal),
    authorities: async () => (await connections()).authorities(),
  };
}
