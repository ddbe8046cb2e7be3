import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { canonicalAddress } from "../../accounts/throttle/client-key.ts";
import { errorCodes } from "../../contract/error-codes.ts";
import { titleOf } from "../../contract/words/en/problems.ts";
import { clientKeyOfPeer } from "../client-address.ts";
import { addressInHost, isPage } from "../hosts.ts";
import { trackConnections } from "./connections.ts";
import { type LanAddress, lanConnections, listeningOnLan } from "./https-listener.ts";
import { type Listener, type Surroundings, serverTimes, shownAddress, stoppable } from "./listeners.ts";
import { misdirectedPage, pageHeaders } from "./misdirected-page.ts";

export interface RedirectOptions extends Surroundings {
  readonly httpsPort: number;
  readonly isOurHost: (host: string | undefined) => boolean;
}

/** Connections of the redirect, each of which ends with its answer. */
const maximumConnections = 64;

/** Listens with plain HTTP on the LAN, and points to HTTPS: browsers by a redirect, programs by a refusal. */
export async function listenRedirect(
  { address, port }: LanAddress,
  { httpsPort, isOurHost, now, boundBuffers }: RedirectOptions,
): Promise<Listener> {
  const server = createServer(serverTimes);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = "", headers, socket } = request;
    const { host } = headers;
    const begin = `https://${host?.replace(/:\d+$/, "")}${httpsPort === 443 ? "" : `:${httpsPort}`}`;
    // RFC 9112 §3.2.2: a path, or for a proxy, which this is not, a whole address.
    const path = url.startsWith("/") ? url : "/";
    // A redirected program would send its password or token in the clear, unnoticed, each time.
    const isPerson = isPage(request, path);
    const isRedirected = host !== undefined && isOurHost(host) && isReached(host, socket) && isPerson;
    const isRefusedPage = isPerson && !isRedirected && headers.accept?.includes("text/html");
    const answer = isRedirected ? { Location: `${begin}${path}`, "Content-Length": "0" } : refusal;
    const page = isRefusedPage ? misdirectedPage(request, { isOurHost, httpsPort }) : undefined;
    response.writeHead(isRedirected ? 308 : 421, {
      ...(page === undefined ? answer : pageHeaders),
      Connection: "close",
      "Cache-Control": "no-store",
    });
    response.end(method === "HEAD" || isRedirected ? "" : (page ?? refusalText));
  };
  const { ofOneStranger } = lanConnections;
  const bounds = { maximum: maximumConnections, ofOneStranger, clientKeyOf: clientKeyOfPeer };
  const connections = trackConnections(server, { handle, ...bounds, now });
  // A client that asks first need not send the body, which may be a password.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  await listeningOnLan(server, { address, port });
  boundBuffers?.(server);
  return stoppable(server, connections, shownAddress(server, "http", address ?? "*"));
}

/** The header could contain any address; no client is sent to another device. */
function isReached(host: string, { localAddress = "" }: Socket): boolean {
  const address = addressInHost(host);
  return address === undefined || address === canonicalAddress(localAddress);
}

const refusalText = `${JSON.stringify({
  type: "urn:steward:problem:misdirected_request",
  title: titleOf("misdirected_request"),
  status: errorCodes.misdirected_request.status,
  detail:
    "This port leads browsers to the pages of the device, and takes no other requests. Send them over HTTPS. A password or token of this request has crossed the network in the clear: replace it.",
  code: "misdirected_request",
})}\n`;

const refusal = {
  "Content-Type": "application/problem+json",
  "Content-Length": String(Buffer.byteLength(refusalText)),
};
