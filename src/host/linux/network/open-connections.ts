import type { ServerConnections } from "../../ports.ts";
import type { ServerConnectionOptions } from "./connections.ts";

/** Connections whose part of the program is loaded with the first of them: few devices make any. */
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
