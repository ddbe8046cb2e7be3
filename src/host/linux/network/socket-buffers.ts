import type { BoundBuffers, ReadPeer } from "../../ports.ts";
import type { ClockAddon } from "../clock/clock-addon.ts";

/** Bytes, which the kernel doubles and counts as the unit's memory: 96 MiB for 768 connections, 6 MB/s at 10 ms. */
const bufferBytes = 32 * 1024;

/** Without the addon (null) the kernel adapts the buffers, up to 4 MiB for each connection. */
export function createBoundBuffers(addon: ClockAddon | null): BoundBuffers {
  return (server) => {
    const descriptor = descriptorOf(server);
    if (addon && descriptor !== undefined) addon.boundBuffers(descriptor, bufferBytes);
  };
}

/** Without the addon no peer is known. */
export function createReadPeer(addon: ClockAddon | null): ReadPeer {
  return (socket) => {
    const descriptor = descriptorOf(socket);
    if (!addon || descriptor === undefined) return null;
    const numbers = new Float64Array(2);
    addon.readPeer(descriptor, numbers);
    const [pid = 0, uid = 0] = numbers;
    // 0: a process of another namespace, which has no number here.
    return pid > 0 ? { pid, uid } : null;
  };
}

/** Node shows it in no other way. */
function descriptorOf(server: object): number | undefined {
  const { _handle: handle } = server as { _handle?: { fd?: unknown } | null };
  return typeof handle?.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}
