import type { TransferOptions } from "../../host.ts";
import type { ServerConnections, Transfers } from "../../ports.ts";
import type { Surroundings } from "../../surroundings.ts";
import { serverFailure } from "./transfer-failures.ts";

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
export function openConnections(surroundings: Surroundings): ServerConnections {
  let opened: Promise<ServerConnections> | undefined;
  const connections = (): Promise<ServerConnections> => {
    opened ??= import("./connections.ts").then(({ createServerConnections }) =>
      createServerConnections(surroundings),
    );
    return opened;
  };
  return {
    open: async (server, signal) => (await connections()).open(server, signal),
    secure: async (server, signal) => (await connections()).secure(server, signal),
    authorities: async () => (await connections()).authorities(),
    failure: (server, cause, isSent) => serverFailure(surroundings, server, cause, isSent),
  };
}
