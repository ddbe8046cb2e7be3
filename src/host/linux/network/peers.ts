import type { ReadPeer } from "../../ports.ts";
import type { ClockAddon } from "../clock/clock-addon.ts";
import { descriptorOf } from "./socket-buffers.ts";

/** Without the addon (null) no peer is known. */
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
