import { constants, randomBytes } from "node:crypto";
import type { Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:https";
import type { Pair } from "../../host/certificate-ports.ts";
import { monotonicMilliseconds } from "../../host/monotonic.ts";
import { clientKeyOfPeer } from "../client-address.ts";
import { type RequestListener, trackConnections } from "./connections.ts";
import { boundHandshakes, usualHandshakeBounds } from "./handshakes.ts";
import {
  type Listener,
  listening,
  type Surroundings,
  serverTimes,
  shownAddress,
  stoppable,
} from "./listeners.ts";

/** A listener whose certificate can be exchanged; connections stay. */
export interface HttpsListener extends Listener {
  show(certificate: Pair): void;
}

export interface LanAddress {
  /** null: all addresses, of IPv4 and IPv6. */
  readonly address: string | null;
  readonly port: number;
}

/** Connections of the LAN, and those of one client of which none has carried a valid token. */
export const lanConnections = { maximum: 256, ofOneStranger: 16 } as const;

/** Milliseconds for a handshake: as for the headers of a request. */
const handshakeTimeout = 10_000;

/** TLS 1.2 only with forward secrecy and AEAD, as all of 1.3. No renegotiation, by which a client asks for handshakes. */
const tls = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
  ecdhCurve: "X25519:P-256:P-384",
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
} as const;

/** Seconds in which a session can be resumed; and milliseconds between changes of the key of its tickets. */
const sessionTimeout = 3_600;
const ticketKeyMilliseconds = 6 * 3_600_000;

/** Listens with TLS. Throws if the port is taken, or the certificate cannot be used. */
export async function listenHttps(
  handle: RequestListener,
  { address, port }: LanAddress,
  shown: Pair,
  { now, boundBuffers }: Surroundings,
): Promise<HttpsListener> {
  const context = ({ certificate, key }: Pair) => ({ ...tls, cert: certificate, key });
  const server = createServer({
    ...{ ...serverTimes, handshakeTimeout, sessionTimeout, ALPNProtocols: ["http/1.1"] },
    ...context(shown),
  });
  const strangers = { maximum: lanConnections.maximum, ofOneStranger: lanConnections.ofOneStranger };
  const common = { clientKeyOf: clientKeyOfPeer, now };
  const connections = trackConnections(server, {
    handle,
    ...strangers,
    ...common,
    opens: "secureConnection",
  });
  boundHandshakes(server, usualHandshakeBounds, clientKeyOfPeer, monotonicMilliseconds);
  await listeningOnLan(server, { address, port });
  boundBuffers?.(server);
  // The thief of a ticket key could read earlier traffic, so the key is not kept for long.
  const timer = setInterval(() => server.setTicketKeys(randomBytes(48)), ticketKeyMilliseconds).unref();
  const listener = stoppable(server, connections, shownAddress(server, "https", address ?? "*"));
  return {
    address: listener.address,
    show: (certificate) => server.setSecureContext(context(certificate)),
    stop: (milliseconds) => {
      clearInterval(timer);
      return listener.stop(milliseconds);
    },
  };
}

/** Throws if it cannot listen there. */
export function listeningOnLan(server: Server | HttpServer, { address, port }: LanAddress): Promise<void> {
  const listen = () => server.listen({ port, ...(address && { host: address }) });
  return listening(server, listen, address === null ? `port ${port}` : `port ${port} of ${address}`);
}
