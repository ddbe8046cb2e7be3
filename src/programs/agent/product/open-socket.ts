import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:net";
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
  const units = product.units.map(host.systemd.unitId);
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
    log("error", "the product cannot report", { path, detail: messageOf(error) }),
  );
  return {
    start: (): void => {
      rmSync(path, { force: true });
      // systemd makes it for the agent's user only.
      if (isForAll) chmodSync(productDirectory, 0o711);
      server.listen({ path }, () => chmodSync(path, isForAll ? 0o666 : 0o600));
    },
    stop: async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      stop();
      await closed;
    },
  };
}
