import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StewardError } from "../../src/contract/errors.ts";
import type { RootHelper, RootOrder } from "../../src/host/ports.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import type { RunningAgent } from "./running-agent.ts";

/**
 * A host file, and root's helper, which switches HTTPS on in it as `steward tls enable` would: `port`: where HTTPS is to
 * listen, 0: it changes nothing; `fault`: how the order ends.
 */
export function rootsHand() {
  const hostFile = join(scratchDirectory(), "etc/steward.json");
  mkdirSync(dirname(hostFile), { mode: 0o755 });
  writeFileSync(hostFile, "{}");
  const orders: RootOrder[] = [];
  const hand = {
    ...{
      hostFile,
      orders,
      port: 0,
      fault: null as StewardError | null,
      agent: undefined as RunningAgent | undefined,
    },
    /** The agent reads this host file; nothing that was asked for before counts. */
    decide: async (text: object) => {
      writeFileSync(hostFile, JSON.stringify(text));
      assert.equal((await hand.agent?.call("POST", "/api/system/reload", { local: true }))?.status, 200);
      orders.splice(0);
    },
    helper: {
      ask: async (order: RootOrder) => {
        if (hand.port > 0)
          await hand.decide({ https: { enabled: true, port: hand.port, address: "127.0.0.1" } });
        orders.push(order);
        if (hand.fault !== null) throw hand.fault;
      },
      mayBeAsked: true,
      absence: () => null,
    } satisfies RootHelper,
  };
  return hand;
}
