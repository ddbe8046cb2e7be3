import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import type { ProductParts } from "./open-pages.ts";
import { createProductSocket, type ProductSocket } from "./product-socket.ts";

/**
 * Hears the product in the directory that systemd makes for it, where each user of the device may connect. Without that, as
 * under `make run`, only the agent's own user may, who counts as the first unit.
 */
export function openProductSocket(
  { config, host }: Pick<ProductParts, "config" | "host">,
  heard: Pick<ProductSocket, "word" | "follow" | "introspect">,
) {
  const { productDirectory, product, runDirectory, log } = config;
  const isForAll = productDirectory !== undefined;
  let server: Server | undefined;
  let isClosed = false;
  let stop = (): void => undefined;
  const fail = (error: unknown) => log("error", "the product is not heard", { detail: messageOf(error) });
  const listen = (): void => {
    const path = isForAll ? join(productDirectory, "socket") : join(runDirectory, "product.sock");
    const units = product.units.map((unit) => host.systemd.unitId(unit));
    const judges = isForAll
      ? { readPeer: host.network.readPeer, unitOf: host.systemd.unitOf }
      : { readPeer: () => ({ pid: 0, uid: 0 }), unitOf: async () => units[0] ?? "" };
    const socket = createProductSocket({ ...heard, ...judges, units, timers: host.time.timers });
    stop = socket.stop;
    rmSync(path, { force: true });
    // systemd makes it for the agent's user only.
    if (isForAll) chmodSync(productDirectory, 0o711);
    server = createServer(socket.take).on("error", fail).unref();
    server.listen({ path }, () => {
      chmodSync(path, isForAll ? 0o666 : 0o600);
      // With an older unit of systemd's it is the agent's own, which the product does not reach.
      log("notice", "the product is heard", { path });
    });
  };
  return {
    listen: (): void => {
      try {
        if (!isClosed) listen();
      } catch (error) {
        fail(error);
      }
    },
    close: async (): Promise<void> => {
      isClosed = true;
      const closed = server && new Promise((resolve) => server?.close(resolve));
      stop();
      await closed;
    },
  };
}
