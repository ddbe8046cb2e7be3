import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mechanisms } from "../../src/programs/agent/mechanisms.ts";
import type { ProductRoom } from "../../src/programs/agent/product/wire-product.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import type { InProcessOptions } from "./agent-in-process.ts";
import { type CheckedAgent, startCheckedAgent } from "./checked-agent.ts";

/** An agent for this host file's product, and its room as the product's socket has it. */
export async function startWithProduct(
  product: object,
  options: InProcessOptions = {},
): Promise<CheckedAgent & { readonly room: ProductRoom }> {
  const hostFile = join(scratchDirectory(), "steward.json");
  writeFileSync(hostFile, JSON.stringify({ product }));
  const { open } = mechanisms.product;
  const opened = new Promise<ProductRoom>((resolve, reject) =>
    Object.assign(mechanisms.product, {
      open: (...given: Parameters<typeof open>) => {
        Object.assign(mechanisms.product, { open });
        const room = open(...given);
        room.then(resolve, reject);
        return room;
      },
    }),
  );
  const agent = await startCheckedAgent({ ...options, arguments: ["--host-file", hostFile] });
  return { ...agent, room: await opened };
}
