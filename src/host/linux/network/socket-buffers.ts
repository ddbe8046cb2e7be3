import type { BoundBuffers } from "../../ports.ts";
import type { ClockAddon } from "../clock/clock-addon.ts";

/**
 * Bytes, which the kernel doubles. systemd counts the buffers as memory of the unit, which has 256 MiB: those of 768
 * connections are then 96 MiB at most. It is enough for 6 MB/s to a client 10 ms away.
 */
const bufferBytes = 32 * 1024;

/** Without the addon (null) the kernel adapts the buffers, up to 4 MiB for each connection. */
export function createBoundBuffers(addon: ClockAddon | null): BoundBuffers {
  return (server) => {
    const descriptor = descriptorOf(server);
    if (addon && descriptor !== undefined) addon.boundBuffers(descriptor, bufferBytes);
  };
}

/** Node shows it in no other way. */
function descriptorOf(server: object): number | undefined {
  const { _handle: handle } = server as { _handle?: { fd?: unknown } | null };
  return typeof handle?.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}
