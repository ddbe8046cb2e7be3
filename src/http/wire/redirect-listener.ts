import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { clientKeyOfPeer } from "../client-address.ts";
import { trackConnections } from "./connections.ts";
import { type LanAddress, lanConnections, listeningOnLan } from "./https-listener.ts";
import { type Listener, serverTimes, shownAddress, stoppable } from "./listeners.ts";

export interface RedirectOptions {
  /** Where HTTPS listens. */
  readonly httpsPort: number;
  readonly isOurHost: (host: string | undefined) => boolean;
  readonly now: () => Date;
}

/** Connections of the redirect, each of which is over with its answer. */
const maximumConnections = 64;

/** Listens with plain HTTP on the LAN, and answers nothing but where HTTPS is. */
export async function listenRedirect(
  { address, port }: LanAddress,
  { httpsPort, isOurHost, now }: RedirectOptions,
): Promise<Listener> {
  const server = createServer(serverTimes);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { host } = request.headers;
    const isKnown = host !== undefined && isOurHost(host);
    // RFC 9112 §3.2.2: a path, or for a proxy, which this is not, a whole address.
    const path = request.url?.startsWith("/") ? request.url : "/";
    const name = host?.replace(/:\d+$/, "");
    const port = httpsPort === 443 ? "" : `:${httpsPort}`;
    response.writeHead(isKnown ? 308 : 421, {
      ...(isKnown && { Location: `https://${name}${port}${path}` }),
      ...{ Connection: "close", "Content-Length": "0", "Cache-Control": "no-store" },
    });
    response.end();
  };
  const { ofOneStranger } = lanConnections;
  const bounds = { maximum: maximumConnections, ofOneStranger, clientKeyOf: clientKeyOfPeer };
  const connections = trackConnections(server, { handle, ...bounds, now });
  await listeningOnLan(server, { address, port });
  return stoppable(server, connections, shownAddress(server, "http", address ?? "*"));
}
