import { createSocket, type Socket } from "node:dgram";
import { closeSync } from "node:fs";
import { isIP } from "node:net";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { DatagramAddress, DatagramConnection, DatagramHandlers, Datagrams } from "../../ports.ts";
import type { ClockAddon } from "../clock/clock-addon.ts";

/** UDP, to literal addresses; a name rejects. With the addon packets leave at once, and have an age; without it neither. */
export function createDatagrams(addon: ClockAddon | null): Datagrams {
  return {
    connect: async (address, handlers) => {
      const family = isIP(address.address);
      if (family === 0)
        throw new TypeError(`a literal address was expected, not ${JSON.stringify(address.address)}`);
      const end = addon ? timedSocket(addon, address, family) : await plainSocket(address, family);
      return connectionOver(end, handlers);
    },
  };
}

interface ConnectedSocket {
  readonly socket: Socket;
  /** Throws, or calls `failed` later, if the packet was not sent. */
  send(packet: Uint8Array, failed: (error: Error) => void): void;
  /** Age in seconds of the packet that is being passed on. */
  age(): number;
}

function connectionOver(
  { socket, send, age }: ConnectedSocket,
  handlers: DatagramHandlers,
): DatagramConnection {
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
        // The handler is not called before `send` has returned.
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

/** A socket of the addon on which Node receives: it reads one packet, passes it on, and only then reads the next. */
function timedSocket(addon: ClockAddon, { address, port }: DatagramAddress, family: number): ConnectedSocket {
  const descriptor = addon.openDatagrams(address, port);
  const socket = createSocket(socketType(family));
  try {
    // Synchronous with a descriptor; from then on the socket closes it.
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

function plainSocket({ address, port }: DatagramAddress, family: number): Promise<ConnectedSocket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({
      type: socketType(family),
      // Without a resolver: every literal, also the local 0.0.0.0 or ::, resolves to itself.
      lookup: (literal, _options, found) => found(null, literal, family),
    });
    const refuse = (error: unknown): void => {
      socket.close();
      reject(error);
    };
    socket.once("error", refuse);
    try {
      // A failure comes through the callback; a later send would throw an uncaught error.
      socket.connect(port, address, (error?: Error) => {
        socket.off("error", refuse);
        if (error) return refuse(error);
        resolve({
          socket,
          // Without the callback a failure to send would be lost.
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
