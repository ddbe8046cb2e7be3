import { createSocket, type Socket } from "node:dgram";
import { closeSync } from "node:fs";
import { isIP } from "node:net";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { DatagramAddress, DatagramConnection, DatagramHandlers, Datagrams } from "../../ports.ts";
import type { ClockAddon } from "../clock/clock-addon.ts";

/**
 * UDP over node:dgram; literal addresses alone, a name rejects without being looked up. With the addon packets leave at
 * the call and come with their age; without it (null) they leave soon after, and no age is known.
 */
export function createDatagrams(addon: ClockAddon | null): Datagrams {
  return {
    connect: async (address, handlers) => {
      const family = isIP(address.address);
      if (family === 0)
        throw new TypeError(`a literal address was expected, not ${JSON.stringify(address.address)}`);
      const way = addon ? timedSocket(addon, address, family) : await plainSocket(address, family);
      return connectionOver(way, handlers);
    },
  };
}

/** A connected socket that receives. */
interface Way {
  readonly socket: Socket;
  /** Throws, or says later, why the packet was not sent. */
  send(packet: Uint8Array, failed: (error: Error) => void): void;
  /** Seconds; of the packet that is being handed over. */
  age(): number;
}

function connectionOver({ socket, send, age }: Way, handlers: DatagramHandlers): DatagramConnection {
  let isOpen = true;
  const fail = (error: unknown): void => {
    if (isOpen) handlers.onFailure(systemErrorCode(error) ?? "failed");
  };
  socket.on("error", fail);
  socket.on("message", (packet) => isOpen && handlers.onPacket(packet, age()));
  return {
    send: (packet) => {
      if (!isOpen) return;
      try {
        send(packet, fail);
      } catch (error) {
        // Nobody hears of a failure before send is over.
        queueMicrotask(() => fail(error));
      }
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      socket.close();
    },
  };
}

/** The addon's own socket, which Node receives on: it reads one packet, hands it over, and only then reads the next. */
function timedSocket(addon: ClockAddon, { address, port }: DatagramAddress, family: number): Way {
  const descriptor = addon.openDatagrams(address, port);
  const socket = createSocket(socketType(family));
  try {
    // Done when it returns, and from then on the socket's own to close.
    socket.bind({ fd: descriptor, exclusive: true });
  } catch (error) {
    closeSync(descriptor);
    socket.close();
    throw error;
  }
  return {
    socket,
    send: (packet) => addon.sendDatagram(descriptor, packet),
    age: () => addon.datagramAge(descriptor),
  };
}

function plainSocket({ address, port }: DatagramAddress, family: number): Promise<Way> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({
      type: socketType(family),
      // Never a resolver. dgram asks for its own end too, 0.0.0.0 or ::, so each is answered with itself.
      lookup: (literal, _options, found) => found(null, literal, family),
    });
    const refuse = (error: unknown): void => {
      socket.close();
      reject(error);
    };
    socket.once("error", refuse);
    try {
      // A failure comes through the callback; a send after it would throw where nobody catches.
      socket.connect(port, address, (error?: Error) => {
        socket.off("error", refuse);
        if (error) return refuse(error);
        resolve({
          socket,
          // Without the callback a failure to send would be told to nobody.
          send: (packet, failed) => socket.send(packet, (failure) => failure && failed(failure)),
          age: () => 0,
        });
      });
    } catch (error) {
      refuse(error);
    }
  });
}

function socketType(family: number): "udp4" | "udp6" {
  return family === 6 ? "udp6" : "udp4";
}
