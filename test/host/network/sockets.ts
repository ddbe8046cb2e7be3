import { createSocket, type Socket } from "node:dgram";
import { readdirSync, readlinkSync } from "node:fs";

/** A UDP socket on a free port of the address. */
export async function bound(address: string): Promise<Socket> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  return socket;
}

/** Counts the descriptors of this process that are sockets. */
export function openSockets(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}
