import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import type { Host } from "../../../host/host.ts";
import type { RoomsConfig } from "../config.ts";
import type { ProductParts } from "./open-pages.ts";
import { createProductSocket, type ProductSocket } from "./product-socket.ts";

type Heard = Pick<ProductSocket, "word" | "follow" | "introspect">;

const notHeard = "the product is not heard";

/**
 * Hears the product in the directory that systemd makes for it, where each user of the device may connect. Without that, as
 * under `make run`, only the agent's own user may, who counts as the first unit.
 */
export function openProductSocket({ config, host }: Pick<ProductParts, "config" | "host">, heard: Heard) {
  let close = async (): Promise<unknown> => undefined;
  let isClosed = false;
  return {
    listen: (): void => {
      if (isClosed) return;
      try {
        close = listen(config, host, heard);
      } catch (error) {
        config.log("error", notHeard, { detail: messageOf(error) });
      }
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await close();
    },
  };
}

/** Returns the function that ends it. */
function listen({ productDirectory, product, runDirectory, log }: RoomsConfig, host: Host, heard: Heard) {
  const units = product.units.map((unit) => host.systemd.unitId(unit));
  const isForAll = productDirectory !== undefined;
  const path = isForAll ? join(productDirectory, "socket") : join(runDirectory, "product.sock");
  const { take, stop } = createProductSocket({
    ...heard,
    units,
    timers: host.time.timers,
    readPeer: isForAll ? host.network.readPeer : () => ({ pid: 0, uid: 0 }),
    unitOf: isForAll ? host.systemd.unitOf : async () => units[0] ?? "",
  });
  const server = createServer(take).on("error", (error) =>
    log("error", notHeard, { detail: messageOf(error) }),
  );
  rmSync(path, { force: true });
  // systemd makes it for the agent's user only.
  if (isForAll) chmodSync(productDirectory, 0o711);
  server.listen({ path }, () => {
    chmodSync(path, isForAll ? 0o666 : 0o600);
    // With an older unit of systemd's it is the agent's own, which the product does not reach.
    log("notice", "the product is heard", { path });
  });
  server.unref();
  return () => {
    const closed = new Promise((resolve) => server.close(resolve));
    stop();
    return closed;
  };
}
