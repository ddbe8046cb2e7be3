import type { BoundBuffers } from "../../ports.ts";
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

/** Node shows it in no other way. */
export function descriptorOf(server: object): number | undefined {
  const { _handle: handle } = server as { _handle?: { fd?: unknown } | null };
  return typeof handle?.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}
